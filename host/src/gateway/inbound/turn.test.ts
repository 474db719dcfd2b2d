import type { InboundMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { createRunningTurns } from '../conversation/running-turns.ts'
import { reaching, talkConnection, talkSpec } from '../testing/talk.ts'
import { createJob } from './answer-message.ts'
import { runAs } from './gather.ts'
import type { InboxParts } from './inbox-parts.ts'
import { turn } from './turn.ts'

const hello: InboundMessage = {
  ...{ id: '7', account: 'hooks', text: 'Hello?', addressed: true },
  conversation: { id: 'C', kind: 'channel' },
  sender: { id: 'p', isBot: false },
}

test.each([
  ['is shown while it is written', false, ['> An answer that is quite long ▉']],
  ['is shown to nobody before hooks may have changed it', true, []],
])('an answer %s', async (_, revises, wanted) => {
  await using temporary = await createTemporaryStore()
  const { journal, leases } = await temporary.open()
  await leases.hold('boot', 'boot', 60_000)
  await journal.accept('talk', hello)
  const claim = await journal.claim('boot')
  if (!claim) throw new Error('nothing was accepted')
  const shown: string[] = []
  const spec = talkSpec({ capabilities: { edit: true } })
  const send = async ({ text }: { readonly text: string }) => {
    shown.push(text)
    return { status: 'sent', platformId: 'p1' } as const
  }
  const inbox = {
    ...{ journal, clock: temporary.clock, log: silentLog, running: createRunningTurns(() => 0) },
    catalog: { find: () => ({ spec }) },
    patience: reaching(spec, undefined).patience,
    rules: { of: () => ({ settings: { streaming: true, typing: false, reactions: false, reply_prefix: '> ', reply_to_mode: 'first' } }) },
    people: { hear: () => undefined, close: () => undefined },
    reasoning: { of: async () => ({ effort: undefined, show: false }) },
    messageHooks: { revises: () => revises },
    home: { profile: 'default' },
    links: { get: () => ({ connection: () => talkConnection(spec, { send, edit: async () => ({ status: 'sent', platformId: 'p1' }) }) }) },
    turns: {
      take: async (...[request, , door]: Parameters<InboxParts['turns']['take']>) => {
        expect(request.isPublic).toBe(true)
        door.hear({ type: 'message.delta', text: 'An answer that is quite long' })
        await new Promise((resolve) => setImmediate(resolve))
        const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
        const end = { text: 'An answer.', status: 'complete', stop: 'stop', messages: [], usage, calls: 1, notes: [] } as const
        return { ...end, rows: null, release: () => undefined }
      },
    },
  } as unknown as InboxParts
  const job = createJob(inbox, claim, { outOfTurn: false, stop: new AbortController().signal })
  runAs(inbox, job, { sessionKey: 'key', background: false })
  await turn(inbox, job)
  expect(shown).toEqual(wanted)
})
