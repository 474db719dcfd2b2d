import { readFileSync } from 'node:fs'
import type { Call, Connection, OutboundMessage, PlatformContext, State } from '@agent/plugin-sdk'
import { manifestSchema } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock, openTestContext, type TestContext } from '@agent/plugin-sdk/testing'
import { type Config, config as schema } from '../src/config.ts'
import signal from '../src/connection.ts'
import { ann, openSignalDaemon, own, type SignalDaemon, type SignalDaemonOptions } from './signal-daemon.ts'

export const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 30_000 }

export interface Rig extends AsyncDisposable {
  readonly daemon: SignalDaemon
  readonly host: TestContext
  readonly clock: FakeClock
  readonly state: State
  readonly context: PlatformContext<Config>
  connect(): Promise<Connection>
  texts(): readonly string[]
}

export interface RigOptions extends SignalDaemonOptions {
  readonly secrets?: Readonly<Record<string, string>>
  /** With state and daemon of another rig it is the agent after a restart. */
  readonly state?: State
  readonly daemon?: SignalDaemon
}

/** A daemon, a host and a clock that stands still. */
export async function openRig({ secrets = {}, state, daemon: given, ...options }: RigOptions = {}): Promise<Rig> {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
  const daemon = given ?? (await openSignalDaemon(options))
  const host = openTestContext({
    manifest,
    contribution: 'signal',
    config: schema.parse({ http_url: daemon.url }),
    secrets: { SIGNAL_ACCOUNT: own.number, ...secrets },
  })
  const clock = createFakeClock()
  const effects: (() => void | Promise<void>)[] = []
  const context = {
    ...(host.context as PlatformContext<Config>),
    ...(state && { state }),
    clock,
    effect: (undo: () => void | Promise<void>) => void effects.push(undo),
  }
  return {
    daemon,
    host,
    clock,
    state: context.state,
    context,
    connect: () => signal.connect(context, call),
    texts: () => host.received.map(({ text }) => text),
    [Symbol.asyncDispose]: async () => {
      for (const undo of effects.splice(0)) await undo()
      await host.close()
      if (!given) await daemon[Symbol.asyncDispose]()
    },
  }
}

export const createMessage = (text: string, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  key: 'key-1',
  account: own.number,
  conversation: ann.uuid,
  text,
  part: { index: 0, total: 1 },
  ...more,
})
