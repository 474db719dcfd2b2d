import { readFileSync } from 'node:fs'
import { type Call, type Connection, manifestSchema, type OutboundMessage, type PlatformContext, type State } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock, openTestContext, type TestContext } from '@agent/plugin-sdk/testing'
import { type Config, config } from '../src/config.ts'
import mattermost from '../src/connection.ts'
import { type MattermostServer, type MattermostServerOptions, openMattermostServer } from './mattermost-server.ts'
import { bot, town } from './mattermost-world.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))

export const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 30_000 }

export interface RigOptions {
  readonly extra?: object
  readonly secrets?: Readonly<Record<string, string>>
  readonly state?: State
}

export interface Rig {
  readonly clock: FakeClock
  readonly host: TestContext
  readonly state: State
  connect(): Promise<Required<Connection>>
  texts(): readonly string[]
}

/** Servers and hosts of one test; `close` ends them. A second rig with the state of the first is the agent after a restart. */
export interface Bench {
  openServer(options?: MattermostServerOptions): Promise<MattermostServer>
  openRig(server: Pick<MattermostServer, 'url'>, options?: RigOptions): Rig
  close(): Promise<void>
}

export function createBench(): Bench {
  const open: (() => unknown)[] = []
  return {
    openServer: async (options) => {
      const server = await openMattermostServer(options)
      open.push(() => server.close())
      return server
    },
    openRig: ({ url }, { extra = {}, secrets = {}, state } = {}) => {
      const clock = createFakeClock()
      const host = openTestContext({
        manifest,
        contribution: 'mattermost',
        config: config.parse(extra),
        secrets: { MATTERMOST_URL: url, MATTERMOST_TOKEN: 'token-of-the-bot', ...secrets },
      })
      open.push(() => host.close())
      const effect = (undo: () => void | Promise<void>): void => void open.push(undo)
      const context = { ...host.context, ...(state && { state }), clock, effect } as PlatformContext<Config>
      return {
        clock,
        host,
        state: context.state,
        connect: async () => (await mattermost.connect(context, call)) as Required<Connection>,
        texts: () => host.received.map(({ text }) => text),
      }
    },
    close: async () => {
      for (const close of open.splice(0).reverse()) await close()
    },
  }
}

/** A message to the channel of the fake server; its text is its key. */
export function createMessage(text: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return { key: text, account: bot.id, conversation: town, text, part: { index: 0, total: 1 }, ...more }
}
