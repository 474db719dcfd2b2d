import { readFileSync } from 'node:fs'
import type { Call, Connection, OutboundMessage, PlatformContext, State } from '@agent/plugin-sdk'
import { manifestSchema } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock, openTestContext, type TestContext } from '@agent/plugin-sdk/testing'
import { type Config, config as schema } from '../src/config.ts'
import telegram from '../src/connection.ts'
import { bot, direct, rightToken, room } from './bot-chats.ts'
import { createBotLimits } from './bot-limits.ts'
import { openTelegramServer, type TelegramServer } from './telegram-server.ts'

export const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 30_000 }

export interface Rig extends AsyncDisposable {
  readonly telegram: TelegramServer
  readonly host: TestContext
  readonly clock: FakeClock
  readonly state: State
  readonly context: PlatformContext<Config>
  connect(): Promise<Connection>
  texts(): readonly string[]
}

export interface RigOptions {
  readonly config?: Readonly<Record<string, unknown>>
  readonly secrets?: Readonly<Record<string, string>>
  /** With the state of another rig it is the agent after a restart. */
  readonly state?: State
  /** With the server of another rig; it stays open then. */
  readonly telegram?: TelegramServer
}

/** A Bot API server, a host and a clock that stands still. */
export async function openRig({ config = {}, secrets = {}, state, telegram: given }: RigOptions = {}): Promise<Rig> {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
  const clock = createFakeClock()
  const server = given ?? (await openTelegramServer([direct, room], createBotLimits(clock.now)))
  const host = openTestContext({
    manifest,
    contribution: 'telegram',
    config: schema.parse({ base_url: server.url, ...config }),
    secrets: { TELEGRAM_BOT_TOKEN: rightToken, ...secrets },
  })
  const effects: (() => void | Promise<void>)[] = []
  const context = {
    ...(host.context as PlatformContext<Config>),
    ...(state && { state }),
    clock,
    effect: (undo: () => void | Promise<void>) => void effects.push(undo),
  }
  return {
    telegram: server,
    host,
    clock,
    state: context.state,
    context,
    connect: () => telegram.connect(context, call),
    texts: () => host.received.map(({ text }) => text),
    [Symbol.asyncDispose]: async () => {
      for (const undo of effects.splice(0)) await undo()
      await host.close()
      if (!given) await server[Symbol.asyncDispose]()
    },
  }
}

export const createMessage = (text: string, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  key: 'key-1',
  account: String(bot.id),
  conversation: String(direct.id),
  text,
  part: { index: 0, total: 1 },
  ...more,
})
