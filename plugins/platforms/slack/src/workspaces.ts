import type { PlatformContext } from '@agent/plugin-sdk'
import { withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Life } from '@agent/plugin-sdk/http'
import { type Api, createApi, prove } from './api.ts'
import type { Config } from './config.ts'
import type { Settings } from './settings.ts'
import { replies } from './wire.ts'

/** One workspace and the bot in it. */
export interface Workspace {
  readonly api: Api
  readonly team: string
  /** The bot as a member, and as an app that posts. */
  readonly user: string
  readonly bot: string | undefined
  readonly name: string
  /** How somebody is called; undefined where Slack does not tell in time. Each is asked for once. */
  findName(user: string): Promise<string | undefined>
}

/** What every part of a connection works with. */
export interface App {
  readonly context: PlatformContext<Config>
  readonly settings: Settings
  readonly life: Life
  readonly workspaces: readonly Workspace[]
  /** The workspace of an account; undefined where no token is ours. */
  find(team: string): Workspace | undefined
  /** The workspace of a channel, as far as it was heard of; else the first. */
  locate(channel: string): Workspace
  learn(channel: string, team: string): void
}

/** A message has to be acknowledged within three seconds, with a name or without. */
const patienceMs = 1500
const mostRemembered = 5000

/** Asks for each token whose it is. Throws PLATFORM_AUTH for one that is refused. */
export async function openApp(context: PlatformContext<Config>, settings: Settings, life: Life): Promise<App> {
  const workspaces = await Promise.all(settings.botTokens.map((token) => openWorkspace(context, settings, life, token)))
  const [first] = workspaces
  if (!first) throw fail('ENV_INVALID', { name: 'SLACK_BOT_TOKEN', problem: 'must hold a token' })
  const channels = new Map<string, string>()
  const find = (team: string): Workspace | undefined => workspaces.find((one) => one.team === team)
  return {
    context,
    settings,
    life,
    workspaces,
    find,
    locate: (channel) => find(channels.get(channel) ?? '') ?? first,
    learn: (channel, team) => {
      if (channels.size >= mostRemembered) channels.clear()
      channels.set(channel, team)
    },
  }
}

async function openWorkspace(context: PlatformContext<Config>, settings: Settings, life: Life, token: string): Promise<Workspace> {
  const api = createApi(context, settings.api_url, token)
  const { team_id: team, user_id, bot_id, user } = await prove(api.ask(replies.auth, 'auth.test', {}, life.signal))
  const names = new Map<string, Promise<string | undefined>>()
  const ask = async (id: string): Promise<string | undefined> => {
    const bounds = { clock: context.clock, signal: life.signal, ms: patienceMs, what: 'asking for a name' }
    const found = await withTimeLimit(bounds, (signal) => api.ask(replies.person, 'users.info', { user: id }, signal))
    const { name, real_name, profile } = found.user
    return profile?.display_name || profile?.real_name || real_name || name || undefined
  }
  const findName: Workspace['findName'] = async (id) => {
    if (names.size >= mostRemembered) names.clear()
    const asking = names.get(id) ?? ask(id)
    names.set(id, asking)
    try {
      return await asking
    } catch (error) {
      context.log.debug('Slack does not tell a name', { user: id, reason: String(error) })
      return undefined
    }
  }
  return { api, team, user: user_id, bot: bot_id ?? undefined, name: user ?? user_id, findName }
}
