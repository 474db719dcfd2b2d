import type { Conversation, Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { type Life, openLife } from '@agent/plugin-sdk/http'
import { type Api, createApi, platform, refuse, refuseToken } from './api.ts'
import { type Channels, createChannels } from './channels.ts'
import type { Config } from './config.ts'
import { openCursors } from './cursors.ts'
import { createInbox, type Inbox } from './inbox.ts'
import { createReplies } from './interactions.ts'
import { createMarker } from './marks.ts'
import { fetchMedia } from './media.ts'
import { createMenu } from './menu.ts'
import { createSender } from './outbound.ts'
import { describePlace, parsePlace } from './place.ts'
import { openSession, type Session } from './session.ts'
import { loadSettings, type Settings } from './settings.ts'
import { createThreads } from './threads.ts'
import { channelTypes, isForumType, isThreadType, type Ready, readGateway, readReady } from './wire.ts'

/** One bot. */
const discord: Platform<Config> = {
  async connect(context, call) {
    const settings = await loadSettings(context.config, context.secrets)
    const life = openLife(context, platform)
    const giveUp = (): void => life.end(call.signal.reason)
    if (call.signal.aborted) giveUp()
    call.signal.addEventListener('abort', giveUp, { once: true })
    try {
      return await open(context, settings, life)
    } catch (error) {
      life.close()
      throw isAgentError(error) && error.code !== 'TIMED_OUT' && error.code !== 'PLATFORM_LOST' ? error : unreachable(error)
    } finally {
      call.signal.removeEventListener('abort', giveUp)
    }
  },
}

async function open(context: PlatformContext<Config>, settings: Settings, life: Life) {
  const api = createApi(context, settings)
  let self: Ready | undefined
  const channels = createChannels(api, () => self?.user.id ?? '')
  const threads = createThreads(api)
  let inbox: Inbox | undefined
  const early: [name: string, data: unknown][] = []
  const session = await openSession({
    url: await fetchGateway(api, life.signal),
    token: settings.token,
    clock: context.clock,
    random: Math.random,
    signal: life.signal,
    onHear: life.hear,
    onEnd: life.end,
    onEvent: (name, data) => {
      if (name === 'READY') self = readReady(data)
      else if (inbox) inbox.onEvent(name, data)
      else early.push([name, data])
    },
  })
  if (!self) throw fail('PLATFORM_UNREACHABLE', { platform, detail: 'it does not say who the bot is' })
  const { user, application } = self
  const account = user.id
  const cursors = await openCursors(context.state, account, life.end)
  const replies = createReplies({ context, api, channels, application: application.id, account, signal: life.signal })
  const { pause, resume } = session
  inbox = createInbox({ context, settings, api, life, channels, threads, replies, account, cursors, pause, resume })
  for (const [name, data] of early) inbox.onEvent(name, data)
  const { mentions } = settings
  const { files, clock } = context
  const sender = createSender({ api, channels, threads, cursors, mentions, files, clock, signal: life.signal })
  context.log.info('connected to Discord', { bot: user.username })
  life.serve()
  return {
    ...createExtras({ api, channels, threads, settings, application: application.id }),
    send: sender.send,
    edit: sender.edit,
    identity: async () => ({ id: user.id, name: user.username }),
    lastHeard: async () => life.lastHeard(),
    close: (closing: { readonly signal: AbortSignal }) => close({ session, life, sender, cursors }, closing.signal),
  }
}

interface Closing {
  readonly session: Session
  readonly life: Life
  readonly sender: { finish(signal: AbortSignal): Promise<void> }
  readonly cursors: { written(): Promise<void> }
}

async function close({ session, life, sender, cursors }: Closing, signal: AbortSignal): Promise<void> {
  await sender.finish(signal)
  if (!life.signal.aborted) await session.close()
  life.close()
  await cursors.written()
}

interface ExtrasOptions {
  readonly api: Api
  readonly channels: Channels
  readonly threads: ReturnType<typeof createThreads>
  readonly settings: Settings
  readonly application: string
}

/** What a connection does besides sending. */
function createExtras({ api, channels, threads, settings, application }: ExtrasOptions) {
  const mark = createMarker(api, channels)
  return {
    react: async (...args: Parameters<typeof mark>) => {
      if (settings.reactions) await mark(...args)
    },
    typing: async (conversation: string, { signal }: { readonly signal: AbortSignal }) => {
      const place = parsePlace(conversation)
      if (place) await api.ask('POST', `/channels/${threads.channelOf(place)}/typing`, { signal })
    },
    fetchMedia: (...[attachment, call]: Parameters<typeof fetchMedia> extends [unknown, ...infer Rest] ? Rest : never) =>
      fetchMedia(api, attachment, call),
    setCommands: createMenu(api, application, settings.commandSync),
    listConversations: async () => listPlaces(channels),
  }
}

/** Channels in which people write, and the threads in them; a direct conversation stands there once somebody wrote in it. */
function listPlaces(channels: Channels): readonly Conversation[] {
  const written: ReadonlySet<number> = new Set([channelTypes.text, channelTypes.announcement, channelTypes.dm, channelTypes.groupDm])
  return channels
    .list()
    .filter(({ type }) => written.has(type) || isForumType(type) || isThreadType(type))
    .map(describePlace)
}

/** The address of the gateway; asking for it proves the token. */
async function fetchGateway(api: Api, signal: AbortSignal): Promise<string> {
  const answer = await api.ask('GET', '/gateway/bot', { signal })
  if (answer.status === 403) throw refuseToken(answer.detail)
  if (!answer.ok) throw refuse(answer)
  const gateway = readGateway(answer.body)
  if (!gateway) throw fail('PLATFORM_UNREACHABLE', { platform, detail: 'it does not say where its gateway is' })
  const { remaining = 1, reset_after: retryAfterMs = 0 } = gateway.session_start_limit ?? {}
  if (remaining > 0) return gateway.url
  throw fail('PLATFORM_UNREACHABLE', { platform, detail: 'no more sessions can be begun for now' }, { retryAfterMs })
}

function unreachable(error: unknown): Error {
  const detail = error instanceof Error ? error.message : String(error)
  return fail('PLATFORM_UNREACHABLE', { platform, detail }, { cause: error })
}

export default discord
