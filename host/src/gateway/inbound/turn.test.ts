import type { Connection, InboundMessage, OutboundMessage, TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { type AgentError, fail, toWireError } from '@agent/plugin-sdk/errors'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { EndedTurn, TurnDoor } from '#agent/turn/turns.ts'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { createRunningTurns } from '../conversation/running-turns.ts'
import { reaching, talkConnection, talkSpec } from '../testing/talk.ts'
import { createJob } from './answer-message.ts'
import { runAs } from './gather.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job, Outcome } from './job.ts'
import { turn } from './turn.ts'

const hello: InboundMessage = {
  ...{ id: '7', account: 'hooks', text: 'Hello?', addressed: true },
  conversation: { id: 'C', kind: 'channel' },
  sender: { id: 'p', isBot: false },
}
const usual = { streaming: true, typing: false, reactions: false, reply_prefix: '> ', reply_to_mode: 'first', busy_input_mode: 'queue' }
const writing: TurnEvent = { type: 'message.delta', text: 'An answer that is quite long' }
const question = { type: 'approval.request', id: 'q', tool: 'terminal', subject: 'rm x', reason: 'It deletes.', choices: ['once'] } as const

interface Given {
  readonly settings?: Partial<typeof usual>
  readonly spec?: Parameters<typeof talkSpec>[0] | 'unknown'
  readonly message?: Partial<InboundMessage>
  readonly revises?: boolean
  readonly showsThought?: boolean
  readonly notifications?: string
  readonly background?: string
  readonly makesJobs?: boolean
  readonly connection?: Partial<Connection> | 'none'
  readonly end?: Partial<EndedTurn>
  /** What the agent does before its turn ends. */
  readonly act?: (door: TurnDoor, clock: FakeClock) => unknown
}

interface Taken {
  readonly outcome: Outcome | undefined
  /** What was sent before the answer. */
  readonly shown: readonly OutboundMessage[]
  /** What happened around it, in order. */
  readonly did: readonly unknown[]
  readonly request: TurnRequest | undefined
  readonly job: Job
  readonly clock: FakeClock
}

async function take({ spec: more = {}, revises = false, showsThought = false, connection = {}, ...given }: Given = {}): Promise<Taken> {
  await using temporary = await createTemporaryStore()
  const { journal, leases } = await temporary.open()
  await leases.hold('boot', 'boot', 60_000)
  await journal.accept('talk', { ...hello, ...given.message })
  const claim = await journal.claim('boot')
  if (!claim) throw new Error('nothing was accepted')
  const shown: OutboundMessage[] = []
  const did: unknown[] = []
  let request: TurnRequest | undefined
  const clock = createFakeClock(temporary.clock.time)
  const spec = talkSpec({ capabilities: { edit: true }, ...(more === 'unknown' ? {} : more) })
  const to = talkConnection(spec, {
    send: async (message) => {
      shown.push(message)
      return { status: 'sent', platformId: 'p1' }
    },
    edit: async () => ({ status: 'sent', platformId: 'p1' }),
    ...(connection === 'none' ? {} : connection),
  })
  const inbox = {
    ...{ clock, running: createRunningTurns(() => 0), notifications: () => given.notifications ?? 'result', home: { profile: 'default' } },
    log: { ...silentLog, info: (text: string) => did.push(text), warn: (...said: readonly unknown[]) => did.push(said) },
    journal: {
      ...journal,
      recordStep: async (...[, step]: Parameters<typeof journal.recordStep>) => did.push(step),
      settleSend: async (...about: Parameters<typeof journal.settleSend>) => {
        await new Promise(setImmediate)
        await journal.settleSend(...about)
        did.push('settled')
      },
    },
    catalog: { find: () => (more === 'unknown' ? undefined : { spec }) },
    patience: reaching(spec, undefined, clock.now).patience,
    rules: { of: () => ({ settings: { ...usual, ...given.settings } }) },
    people: { hear: (_: unknown, { type }: TurnEvent) => did.push(type), close: () => did.push('closed') },
    reasoning: { of: async () => ({ effort: undefined, show: showsThought }) },
    places: { behind: () => undefined },
    messageHooks: { revises: () => revises },
    reception: { mayMakeJobs: () => given.makesJobs ?? true },
    links: { get: () => (connection === 'none' ? undefined : { connection: () => to }) },
    turns: {
      take: async (...[asked, , door]: Parameters<InboxParts['turns']['take']>) => {
        request = asked
        await given.act?.(door, clock)
        const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
        const end = { text: 'An answer.', status: 'complete', stop: 'stop', messages: [], usage, calls: 1, notes: [] } as const
        return { ...end, rows: null, release: () => undefined, ...given.end }
      },
    },
    loaded: { config: { memory: { owners: [] } } },
  } as unknown as InboxParts
  const job = createJob(inbox, claim, { outOfTurn: false, stop: new AbortController().signal })
  runAs(inbox, job, { sessionKey: 'key', background: false })
  if (given.background !== undefined) job.background = given.background
  const outcome = await turn(inbox, job).catch((error: unknown) => {
    did.push(error)
    return undefined
  })
  did.push('over')
  for (const end of job.atEnd.toReversed()) await end()
  return { outcome, shown, did, request, job, clock }
}

/** The model writes, and the platform has had time to show it. */
const write = async ({ hear }: TurnDoor): Promise<void> => {
  hear(writing)
  for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
}
const texts = ({ shown }: Taken): readonly string[] => shown.map(({ text }) => text)

test('an answer is shown while it is written, and nothing of it comes after the turn', async () => {
  const taken = await take({ act: write })
  expect(texts(taken)).toEqual(['> An answer that is quite long ▉'])
  expect(taken.shown[0]?.replyTo).toBe('7')
  expect(taken.outcome).toEqual({ state: 'answered', text: 'An answer.', rows: null, mood: 'done' })
  expect(taken.request).toMatchObject({ isPublic: true, input: [{ type: 'text', text: 'Hello?' }] })
  const [atOnce] = [await take({ act: ({ hear }) => hear(writing) })]
  expect(atOnce.did).toEqual(['settled', 'over'])
  const broken = new Error('no model')
  const cut = ({ hear }: TurnDoor): never => {
    hear(writing)
    throw broken
  }
  expect((await take({ act: cut })).did).toEqual(['settled', broken, 'over'])
  expect((await take({ act: write, settings: { reply_to_mode: 'off' } })).shown[0]).not.toHaveProperty('replyTo')
})

test.each<[string, Given]>([
  ['hooks may have changed it', { revises: true }],
  ['the owner does not want it', { settings: { streaming: false } }],
  ['it goes elsewhere', { message: { deliver: 'local' } }],
  ['it is the result of work in the background', { background: 'hi' }],
])('an answer is shown to nobody before its end where %s', async (_, given) => {
  expect(texts(await take({ act: write, ...given }))).toEqual([])
})

test('questions are put to people and are over with the turn; what else is told is for the log, and the session is known', async () => {
  const act = ({ hear, recordStep }: TurnDoor): unknown => {
    hear({ type: 'message.start', turn: 'trn', session: 'ses_1', provider: 'p', model: 'm' })
    hear(question)
    hear({ type: 'clarify.request', id: 'c', question: 'Which?', choices: [] })
    hear({ type: 'message.delta', text: 'x' })
    hear({ type: 'status', text: 'Trying again.' } as TurnEvent)
    return recordStep('a step' as never)
  }
  const { did, job } = await take({ act })
  expect(did).toEqual(['approval.request', 'clarify.request', 'Trying again.', 'a step', 'over', 'closed', 'closed'])
  expect(job.running?.session).toBe('ses_1')
})

test('what was thought stands before an answer where that is wanted, and not before one that goes elsewhere', async () => {
  const act = ({ hear }: TurnDoor): void => hear({ type: 'reasoning.delta', text: 'Hm.' })
  expect((await take({ act, showsThought: true })).outcome?.text).toBe('> Thinking: Hm.\n\nAn answer.')
  expect((await take({ act })).outcome?.text).toBe('An answer.')
  expect((await take({ act, showsThought: true, message: { deliver: 'local' } })).outcome?.text).toBe('An answer.')
})

test('a turn is added to where the owner wants it, but for work in the background', async () => {
  const steers = async (given: Given): Promise<boolean> => {
    let can = false
    const act = ({ steer }: TurnDoor): void => {
      can = steer !== undefined
    }
    await take({ ...given, act })
    return can
  }
  const settings = { busy_input_mode: 'steer' }
  expect([await steers({}), await steers({ settings }), await steers({ settings, background: 'hi' })]).toEqual([false, true, false])
})

test('of what the background comes to is told as much as is wanted', async () => {
  const error = toWireError(fail('INTERRUPTED'))
  const told = async (notifications: string, end: Partial<EndedTurn> = {}) =>
    (await take({ notifications, background: 'hi', end })).outcome?.text
  expect(await told('result')).toBe('Done in the background: hi\n\nAn answer.')
  expect(await told('error')).toBeUndefined()
  expect(await told('error', { error, text: '' })).toBe('Done in the background: hi\n\nInterrupted.')
  expect(await told('off', { error })).toBeUndefined()
})

test('an answer that broke off is told with the reason, and remarks stand behind it', async () => {
  const error = toWireError(fail('INTERRUPTED'))
  expect((await take({ end: { error, text: '', notes: ['near/small answered.'] } })).outcome).toMatchObject({
    ...{ text: 'Interrupted.\n\n(near/small answered.)', mood: 'failed' },
  })
})

test('who wrote a message that may be answered later is told to write it again', async () => {
  const told = async (error: AgentError) => (await take({ end: { error: toWireError(error), text: '' } })).outcome?.text
  expect(await told(fail('MODEL_DISCONNECTED', { provider: 'far', detail: 'no' }))).toBe(
    'The connection to far broke: no. Please write it again.',
  )
  expect(await told(fail('MODEL_OVERLOADED', { provider: 'far', detail: 'no' }))).toMatch(/: no\. Try again later\.$/)
  expect(await told(fail('MODEL_BILLING', { provider: 'far', detail: 'no' }))).not.toContain('again')
})

test('a turn that failed is in the log with its reason, and one that somebody stopped is not', async () => {
  const failed = toWireError(fail('MODEL_AUTH', { provider: 'far', detail: 'no' }))
  const about = { platform: 'talk', message: expect.any(String), error: expect.stringContaining('far refused the key: no') }
  expect((await take({ end: { error: failed, text: '' } })).did).toContainEqual(['a message was answered with an error', about])
  expect((await take({ end: { error: toWireError(fail('INTERRUPTED')), text: '' } })).did).toEqual(['over'])
})

test('what is taken counts for the person who wrote, and for nobody where programs write', async () => {
  const { request, job } = await take({})
  expect(request).toMatchObject({ person: job.claim.message.sender.id })
  expect((await take({ spec: { gate: 'source' } })).request).not.toHaveProperty('person')
})

test('who writes is known to the jobs of the turn, and so is whether they may make some', async () => {
  const { request } = await take({})
  const { account, conversation, sender } = hello
  expect(request).toMatchObject({ speakers: { may: true, people: [{ platform: 'talk', account, conversation, sender }] } })
  expect((await take({ makesJobs: false })).request).toMatchObject({ speakers: { may: false } })
})

test('a door of the owner is not public, and a platform that is gone answers nothing', async () => {
  expect((await take({ spec: { reach: 'owner' } })).request).toMatchObject({ isPublic: false })
  expect((await take({ spec: 'unknown' })).did).toEqual([expect.objectContaining({ code: 'PLATFORM_UNKNOWN' }), 'over'])
})

test('without a connection nothing is shown and files are left out, and the answer comes nevertheless', async () => {
  const { outcome, request } = await take({
    ...{ connection: 'none', act: write, settings: { typing: true, reactions: true } },
    spec: { capabilities: { edit: true, typing: true, react: true, fetchMedia: true } },
    message: { media: [{ id: '1', kind: 'document', mime: 'text/plain', name: 'list.txt' }] },
  })
  expect([outcome?.text, request?.input]).toEqual(['An answer.', [{ type: 'text', text: 'Hello?' }]])
})

test('people see that it is written until a question is open, again when it is answered, and not after the end', async () => {
  let typed = 0
  const counts: number[] = []
  const act = async ({ hear }: TurnDoor, clock: FakeClock): Promise<void> => {
    for (const event of [undefined, question, writing] as const) {
      if (event) hear(event)
      await clock.advance(10_000)
      counts.push(typed)
      typed = 0
    }
  }
  const { clock } = await take({
    ...{ act, settings: { typing: true, streaming: false } },
    spec: { capabilities: { typing: true } },
    connection: { typing: async () => void typed++ },
  })
  expect(counts.map((count) => count > 0)).toEqual([true, false, true])
  expect(clock.sleeping()).toBe(0)
})
