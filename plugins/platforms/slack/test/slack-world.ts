import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import type { Config } from '../src/config.ts'
import { appToken, defaultBots, openSlackServer, type SlackServer } from './slack-server.ts'
import type { Posted } from './slack-store.ts'
import { troublesOf } from './troubles.ts'

export interface Words {
  readonly channel: string
  readonly text: string
  readonly user?: string
  readonly thread?: string
  readonly files?: readonly { readonly id: string; readonly name: string; readonly mimetype: string; readonly size: number }[]
  readonly more?: Readonly<Record<string, unknown>>
}

/** Somebody writes: `message`, and `app_mention` for the same text where it names the bot. */
export function say(server: SlackServer, { channel, text, user = 'U0ANN', thread, files, more = {} }: Words): Posted {
  const [bot] = server.bots
  const posted = server.store.keep({ channel, user, text, ...(thread && { thread_ts: thread }), ...(files && { files }) })
  const { ts } = posted
  const event = {
    channel,
    user,
    text,
    ts,
    event_ts: ts,
    ...(thread && { thread_ts: thread }),
    ...(files && { files, subtype: 'file_share' }),
  }
  const outer = { type: 'event_callback', team_id: bot?.team, event_id: `Ev${ts}`, authorizations: [{ team_id: bot?.team }] }
  const kind = channel.startsWith('D') ? 'im' : 'channel'
  const tell = (type: string): void =>
    server.door.deliver('events_api', { ...outer, event: { type, ...event, ...(type === 'message' && { channel_type: kind }), ...more } })
  if (kind === 'channel' && text.includes(`<@${bot?.user}>`)) tell('app_mention')
  tell('message')
  return posted
}

const ours = (server: SlackServer): readonly Posted[] => server.store.messages.filter(({ bot_id }) => bot_id === 'B0BOT')

export function labels(server: SlackServer): readonly string[] {
  const elements =
    ours(server)
      .at(-1)
      ?.blocks?.flatMap((block) => (block.type === 'actions' ? (block.elements ?? []) : [])) ?? []
  return elements.map(({ text }) => (typeof text === 'object' ? text.text : ''))
}

/** Somebody presses a button below the last message of the bot. */
export function press(server: SlackServer, label: string, user = 'U0ANN', root?: string): void {
  const message = ours(server).at(-1)
  const row = message?.blocks?.find(({ type }) => type === 'actions')
  const button = row?.elements?.find(({ text }) => typeof text === 'object' && text.text === label)
  const { channel, ts, text, thread_ts = root, blocks } = message ?? {}
  server.door.deliver('interactive', {
    type: 'block_actions',
    user: { id: user, username: 'ann', name: 'ann', team_id: 'T0ONE' },
    team: { id: 'T0ONE', domain: 'one' },
    channel: { id: channel, name: 'room' },
    message: { ts, text, blocks, ...(thread_ts && { thread_ts }) },
    actions: [{ action_id: 'agent-0', block_id: row?.block_id, value: button?.value, type: 'button' }],
  })
}

/** What the contract suite does with this platform. */
export async function openWorld(): Promise<PlatformWorld> {
  const server = await openSlackServer()
  const root = server.store.keep({ channel: 'C0ROOM', user: 'U0BOB', text: 'a thread' })
  const configFor = (path: string): Config => ({
    api_url: `${server.url}/${path}`,
    reply_in_thread: true,
    unfurl_links: false,
    unfurl_media: false,
    typing_status_text: 'is writing…',
  })
  const config = configFor('api')
  const secretsWith = (token: string) => ({ SLACK_BOT_TOKEN: token, SLACK_APP_TOKEN: appToken })
  const secrets = secretsWith(defaultBots[0]?.token ?? '')
  return {
    config,
    secrets,
    account: 'T0ONE',
    conversation: 'D0ANN',
    typingIn: `C0ROOM/${root.ts}`,
    refused: { config, secrets: secretsWith('xoxb-wrong') },
    silent: { config: configFor('silent'), secrets },
    sent: () => ours(server).map(({ text }) => text),
    receiveOne: async (text) => void say(server, { channel: 'D0ANN', text }),
    redeliver: async () => server.door.redeliver(),
    receiveInGroup: async (text, toBot) => void say(server, { channel: 'C0ROOM', text: toBot ? `<@U0BOT> ${text}` : text }),
    receiveInThread: async (text) => void say(server, { channel: 'C0ROOM', text: `<@U0BOT> ${text}`, thread: root.ts }),
    sentInThread: () =>
      ours(server)
        .filter(({ thread_ts }) => thread_ts === root.ts)
        .map(({ text }) => text),
    receiveFile: async ({ name, mime, bytes }) => {
      const id = server.store.keepFile({ name, mime, bytes, state: 'shared' })
      say(server, { channel: 'D0ANN', text: '', files: [{ id, name, mimetype: mime, size: bytes.length }] })
    },
    files: () =>
      ours(server)
        .flatMap(({ files = [] }) => files)
        .flatMap(({ id }) => server.store.files.get(id) ?? []),
    press: async (label) => press(server, label),
    buttons: () => labels(server),
    typings: () => server.store.statuses.length,
    isTyping: () => server.store.statuses.at(-1) !== '',
    marks: () => [...(server.store.messages.findLast(({ user }) => user === 'U0ANN')?.reactions ?? [])],
    loseReceipt: () => server.loseAnswer(),
    disturb: (what) => troublesOf(server).disturb(what),
    cut: async () => server.cut(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
