import { readFileSync } from 'node:fs'
import type { Call, Connection, OutboundMessage, PlatformContext, State } from '@agent/plugin-sdk'
import { manifestSchema } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock, openTestContext, type TestContext } from '@agent/plugin-sdk/testing'
import { type Config, config } from '../src/config.ts'
import slack from '../src/connection.ts'
import { appToken, type SlackServer } from './slack-server.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
export const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 30_000 }

export interface Rig extends AsyncDisposable {
  readonly host: TestContext
  readonly clock: FakeClock
  readonly state: State
  connect(call?: Call): Promise<Connection>
}

export interface RigOptions {
  readonly secrets?: Readonly<Record<string, string>>
  readonly settings?: Readonly<Record<string, unknown>>
  readonly state?: State
}

/** A host whose clock stands still. A second rig with the state of the first is the agent after a restart. */
export function openRig(server: SlackServer, { secrets = {}, settings = {}, state }: RigOptions = {}): Rig {
  const clock = createFakeClock()
  const undo: (() => void | Promise<void>)[] = []
  const host = openTestContext({
    manifest,
    contribution: 'slack',
    config: config.parse({ api_url: `${server.url}/api`, ...settings }),
    secrets: { SLACK_BOT_TOKEN: server.bots.map(({ token }) => token).join(','), SLACK_APP_TOKEN: appToken, ...secrets },
  })
  const context = {
    ...host.context,
    ...(state && { state }),
    clock,
    effect: (one: () => void | Promise<void>) => void undo.push(one),
  } as PlatformContext<Config>
  return {
    host,
    clock,
    state: context.state,
    connect: (given = call) => slack.connect(context, given),
    [Symbol.asyncDispose]: async () => {
      for (const one of undo.reverse()) await one()
      await host.close()
    },
  }
}

export function createMessage(text: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return { key: 'in:1:0', account: 'T0ONE', conversation: 'C0ROOM', text, part: { index: 0, total: 1 }, ...more }
}
