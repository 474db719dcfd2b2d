import { readFileSync } from 'node:fs'
import type { Call, Connection, OutboundMessage, PlatformContext, State } from '@agent/plugin-sdk'
import { manifestSchema } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock, openTestContext, type TestContext } from '@agent/plugin-sdk/testing'
import { type Config, config } from '../src/config.ts'
import matrix from '../src/connection.ts'
import type { MatrixServer } from './matrix-server.ts'
import { bot } from './matrix-store.ts'
import { directRoom } from './matrix-world.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
export const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 30_000 }

export interface Rig extends AsyncDisposable {
  readonly host: TestContext
  readonly clock: FakeClock
  readonly state: State
  connect(): Promise<Required<Connection>>
}

export interface RigOptions {
  readonly secrets?: Readonly<Record<string, string>>
  readonly settings?: Readonly<Record<string, unknown>>
  readonly state?: State
}

/** A host whose clock stands still. A second rig with the state of the first is the agent after a restart. */
export function openRig(server: MatrixServer, { secrets, settings = {}, state }: RigOptions = {}): Rig {
  const clock = createFakeClock()
  const undo: (() => void | Promise<void>)[] = []
  const host = openTestContext({
    manifest,
    contribution: 'matrix',
    config: config.parse(settings),
    secrets: { MATRIX_HOMESERVER: server.url, ...(secrets ?? { MATRIX_ACCESS_TOKEN: server.token() }) },
  })
  const effect = (one: () => void | Promise<void>): void => void undo.push(one)
  const context = { ...host.context, ...(state && { state }), clock, effect } as PlatformContext<Config>
  return {
    host,
    clock,
    state: context.state,
    connect: async () => (await matrix.connect(context, call)) as Required<Connection>,
    [Symbol.asyncDispose]: async () => {
      for (const one of undo.reverse()) await one()
      await host.close()
    },
  }
}

export function createMessage(text: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return { key: 'in:1:0', account: bot, conversation: directRoom, text, part: { index: 0, total: 1 }, ...more }
}
