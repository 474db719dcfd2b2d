import type { InboundMessage } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { messageOf } from '#store/testing/messages.ts'
import { createRunningTurns } from '../conversation/running-turns.ts'
import { command } from './command.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job } from './job.ts'

const roll = { name: 'roll', aliases: [], args: '', summary: 'Rolls', surfaces: ['gateway'] }

async function give(text: string, attempts = 1) {
  const running = createRunningTurns(() => 0)
  const seen: number[] = []
  const message: InboundMessage = messageOf('1', { text })
  const settings = { allow_admin_from: [], group_allow_admin_from: [], user_allowed_commands: [], group_user_allowed_commands: [] }
  const inbox = {
    ...{ running, clock: createFakeClock(), log: silentLog },
    catalog: { find: () => undefined, of: (kind: string) => (kind === 'commands' ? [{ id: 'dice', spec: { commands: [roll] } }] : []) },
    people: {
      reply: async (_: string, said: InboundMessage) => (said.text === '1' ? 'Allowed once.' : undefined),
      decide: async () => undefined,
    },
    reception: { isKnown: () => true },
    rules: { of: () => ({ settings }) },
    reasoning: { of: async () => ({ effort: undefined, show: false }) },
    services: {
      skills: { known: () => [] },
      sessions: { byKey: async () => undefined },
      runCommand: async () => {
        seen.push(running.inConversation('talk', message).length)
        return 'You rolled 4.'
      },
    },
    sessions: {},
    loaded: { config: { memory: { owners: [] } } },
  } as unknown as InboxParts
  const job = { claim: { seq: 1, platform: 'talk', message, attempts }, settings, sessionKey: 'key', stop: new AbortController().signal }
  const outcome = await command(inbox, job as unknown as Job)
  return { outcome, seen, left: running.inConversation('talk', message).length }
}

test('a command of a plugin is listed while it runs, and not run again where nobody knows how far it came', async () => {
  expect(await give('/roll')).toEqual({ outcome: { state: 'answered', text: 'You rolled 4.' }, seen: [1], left: 0 })
  const again = await give('/roll', 2)
  expect(again).toMatchObject({
    outcome: { state: 'answered', text: expect.stringContaining('its outcome is unknown') },
    seen: [],
    left: 0,
  })
})

test('the answer to a question is taken before it could be a command, and words are for the agent', async () => {
  expect((await give('1')).outcome).toEqual({ state: 'answered', text: 'Allowed once.' })
  expect((await give('hello')).outcome).toBeUndefined()
})
