import type { Call, Connection, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { ClaimedSend } from '#store/journal.ts'
import { reaching, talkConnection, talkSpec } from '../testing/talk.ts'
import { type DeliverOptions, deliverSend } from './deliver-send.ts'
import { createSendTries } from './send-tries.ts'

const now = 1_700_000_000_000
const lost = { code: 'SEND_UNKNOWN', params: { platform: 'Talk', detail: 'cut' } }
const unknown: Receipt = { status: 'unknown', error: lost }
const sent: Receipt = { status: 'sent', platformId: 'p1' }
const refused: Receipt = { status: 'refused', error: { code: 'SEND_REFUSED', params: {} } }

const waiting: ClaimedSend = {
  ...{ seq: 1, owner: 'boot', attempts: 1, platform: 'talk', firstTriedAt: now - 5000 },
  message: { key: 'k', account: 'bot', conversation: 'ann', text: 'whole', part: { index: 0, total: 1 } },
}

interface Tried {
  readonly result: Awaited<ReturnType<typeof deliverSend>>
  /** What the platform was asked for, in order. */
  readonly did: readonly string[]
  readonly deadlines: readonly number[]
}

interface About {
  readonly methods?: Partial<Connection>
  readonly spec?: Parameters<typeof talkSpec>[0]
  readonly connected?: boolean
  readonly change?: Partial<DeliverOptions>
}

/** One delivery on a platform that has what the methods say. */
async function tryOnce(send: Partial<ClaimedSend>, { methods = {}, spec: more, connected = true, change }: About = {}): Promise<Tried> {
  const did: string[] = []
  const deadlines: number[] = []
  const can = { edit: methods.edit !== undefined, findSent: methods.findSent !== undefined }
  const spec = talkSpec({ ...more, capabilities: { ...can, ...more?.capabilities } })
  const note = async (what: string, call: Call, answer: Promise<Receipt> | undefined): Promise<Receipt> => {
    did.push(what)
    deadlines.push(call.deadline)
    return (await answer) ?? sent
  }
  const connection = talkConnection(spec, {
    send: (message, call) => note('send', call, methods.send?.(message, call)),
    edit: (id, message, call) => note(`edit ${id}`, call, methods.edit?.(id, message, call)),
    ...(methods.lastHeard && { lastHeard: methods.lastHeard }),
    findSent: async (about, call) => {
      did.push('ask')
      return (await methods.findSent?.(about, call)) ?? null
    },
  })
  const clock = { now: () => now, sleep: () => new Promise<never>(() => undefined) }
  const options: DeliverOptions = {
    ...reaching(spec, connected ? connection : undefined, clock.now),
    ...{ tries: createSendTries(), signal: new AbortController().signal, clock, log: silentLog },
    ...change,
  }
  return { result: await deliverSend(options, { ...waiting, ...send }), did, deadlines }
}

const retry = (ms: number, doubt?: 'ask' | 'insist') => ({ status: 'retry', notBefore: now + ms, ...(doubt && { doubt }) })

test('an answer that takes the place of its preview is repeated when its receipt was lost, and after a crash', async () => {
  const cut = await tryOnce({ edits: 'p1' }, { methods: { edit: async () => unknown } })
  expect([cut.did, cut.result]).toEqual([['edit p1'], retry(2000, 'ask')])
  const again = await tryOnce({ edits: 'p1', doubt: 'ask' }, { methods: { edit: async () => sent } })
  expect([again.did, again.result]).toEqual([['edit p1'], sent])
})

test('where the preview is gone the answer is a separate message, which is not repeated blindly', async () => {
  const edit = async () => refused
  expect((await tryOnce({ edits: 'p1' }, { methods: { edit } })).did).toEqual(['edit p1', 'send'])
  const cut = await tryOnce({ edits: 'p1' }, { methods: { edit, send: async () => unknown } })
  expect(cut.result).toMatchObject({ status: 'unknown', mark: expect.stringContaining('may be missing') })
  const after = await tryOnce({ edits: 'p1', doubt: 'ask' }, { methods: { edit } })
  expect([after.did, after.result.status]).toEqual([['edit p1'], 'unknown'])
  const found = await tryOnce({ edits: 'p1', doubt: 'ask' }, { methods: { edit, findSent: async () => sent } })
  expect([found.did, found.result]).toEqual([['edit p1', 'ask'], sent])
})

test('what is in doubt is asked about before it is sent, also where a person insists', async () => {
  for (const doubt of ['ask', 'insist'] as const) {
    const found = await tryOnce({ doubt }, { methods: { findSent: async () => sent } })
    expect([found.did, found.result]).toEqual([['ask'], sent])
    const missing = await tryOnce({ doubt }, { methods: { findSent: async () => null } })
    expect([missing.did, missing.result]).toEqual([['ask', 'send'], sent])
    const deaf = await tryOnce({ doubt }, { methods: { findSent: async () => Promise.reject(new Error('cut')) } })
    expect([deaf.did, deaf.result]).toEqual([['ask'], retry(2000, doubt)])
  }
})

test('where nobody can tell, what a person insists on is sent, and nothing else', async () => {
  const over = { tries: { next: () => undefined, forget: () => undefined } }
  const cannotTell = { methods: { findSent: async () => unknown }, change: over }
  expect((await tryOnce({ doubt: 'insist' }, cannotTell)).did).toEqual(['ask', 'send'])
  expect((await tryOnce({ doubt: 'ask' }, cannotTell)).result.status).toBe('unknown')
  expect((await tryOnce({ doubt: 'insist' })).did).toEqual(['send'])
  // Nobody waits for a platform that could say nothing.
  expect((await tryOnce({ doubt: 'ask' }, { connected: false })).result).toMatchObject({ status: 'unknown' })
  expect((await tryOnce({ doubt: 'ask' }, { connected: false, methods: { findSent: async () => sent } })).result).toEqual(
    retry(1000, 'ask'),
  )
})

test('with keys a send in doubt is repeated, a preview too', async () => {
  const spec = { capabilities: { idempotentSend: true } }
  expect((await tryOnce({ doubt: 'ask' }, { spec })).did).toEqual(['send'])
  const preview = { ...waiting.message, preview: true } as const
  expect((await tryOnce({ doubt: 'ask', message: preview }, { spec })).result).toEqual(sent)
})

test('a preview that cannot be found is given up, and nobody is told of it', async () => {
  const message = { ...waiting.message, preview: true } as const
  for (const methods of [{}, { findSent: async () => null }]) {
    const { result, did } = await tryOnce({ doubt: 'ask', message }, { methods })
    expect(result).toEqual({ status: 'refused', error: expect.objectContaining({ code: 'SEND_UNKNOWN' }) })
    expect(did).not.toContain('send')
  }
})

test('what stays in doubt while a platform asks for patience, or nothing leaves, stays in doubt', async () => {
  const limited: Receipt = { status: 'refused', error: { ...lost, retryAfterMs: 700 } }
  expect((await tryOnce({ edits: 'p1', doubt: 'ask' }, { methods: { edit: async () => limited } })).result).toEqual(retry(700, 'ask'))
  expect((await tryOnce({}, { methods: { send: async () => limited } })).result).toEqual(retry(700))
  const send = async () => Promise.reject(fail('PLATFORM_UNREACHABLE', { platform: 'Talk', detail: 'no route' }))
  expect((await tryOnce({ doubt: 'ask' }, { methods: { send }, spec: { capabilities: { idempotentSend: true } } })).result).toEqual(
    retry(2000, 'ask'),
  )
})

test('an answer waits for as long as its conversation is to be left alone, and no other does', async () => {
  const { patience } = reaching(talkSpec(), undefined, () => now)
  patience.ask({ platform: 'talk', account: 'bot', conversation: 'ann' }, 30_000)
  expect(await tryOnce({}, { change: { patience } })).toMatchObject({ did: [], result: retry(30_000) })
  const elsewhere = { message: { ...waiting.message, conversation: 'ben' } }
  expect((await tryOnce(elsewhere, { change: { patience } })).did).toEqual(['send'])
  const limited: Receipt = { status: 'refused', error: { ...lost, retryAfterMs: 9000 } }
  await tryOnce(elsewhere, { change: { patience }, methods: { send: async () => limited } })
  expect(patience.until({ platform: 'talk', account: 'bot', conversation: 'ben' })).toBe(now + 9000)
})

test('every answer counts for what its account may still say', async () => {
  const spec = { limits: { budget: { burst: 2, everyMs: 60_000 } } }
  const { patience } = reaching(talkSpec(spec), undefined, () => now)
  const place = { platform: 'talk', account: 'bot', conversation: 'ann' }
  expect(patience.hasRoom(place)).toBe(true)
  await tryOnce({}, { spec, change: { patience } })
  expect(patience.hasRoom(place)).toBe(false)
})

test('files get more time, by their size', async () => {
  const media: OutboundMessage['media'] = [{ kind: 'document', blob: { blob: 'b', mime: 'text/csv', bytes: 5_000_000 } }]
  const [small] = (await tryOnce({})).deadlines
  const [large] = (await tryOnce({ message: { ...waiting.message, media } })).deadlines
  expect([small, large]).toEqual([30_000, 130_000])
})

test('a mark has the header of its platform', async () => {
  const { result } = await tryOnce({ doubt: 'ask' }, { change: { prefixOf: (platform) => `${platform}> ` } })
  expect(result).toMatchObject({ mark: expect.stringMatching(/^talk> \(A message/) })
  const own = await tryOnce({ doubt: 'ask' }, { spec: { replyPrefix: 'Bot: ' } })
  expect(own.result).toMatchObject({ mark: expect.stringMatching(/^Bot: \(/) })
})

test('where the platform is not known or not connected a message waits', async () => {
  expect((await tryOnce({}, { connected: false })).result).toEqual(retry(1000))
  expect((await tryOnce({}, { change: { catalog: { find: () => undefined } } })).result).toEqual(retry(1000))
  expect((await tryOnce({}, { change: { links: new Map() } })).result).toEqual(retry(1000))
})

test('what fails on its way is of unknown fate, and repeated only where that does no harm', async () => {
  const cut = async () => Promise.reject(new Error('cut'))
  expect((await tryOnce({ edits: 'p1' }, { methods: { edit: cut } })).result).toEqual(retry(2000, 'ask'))
  const mark = expect.stringContaining('may be missing')
  expect((await tryOnce({}, { methods: { send: cut } })).result).toMatchObject({ status: 'unknown', mark })
  const separate = await tryOnce({ edits: 'p1' }, { methods: { edit: async () => refused, send: cut } })
  expect([separate.did, separate.result]).toMatchObject([['edit p1', 'send'], { status: 'unknown', mark }])
})

test('what a platform says to have refused is not sent again', async () => {
  const asked = await tryOnce({ doubt: 'ask' }, { methods: { findSent: async () => refused } })
  expect([asked.did, asked.result]).toEqual([['ask'], refused])
})

test('a refusal without a time asks for no patience', async () => {
  const { patience } = reaching(talkSpec(), undefined, () => now)
  const place = { platform: 'talk', account: 'bot', conversation: 'ann' }
  await tryOnce({}, { change: { patience }, methods: { send: async () => refused } })
  expect([patience.until(place), patience.hasRoom(place)]).toEqual([0, true])
  // A time that is over now holds nothing.
  patience.ask(place, 0)
  expect((await tryOnce({}, { change: { patience } })).result).toEqual(sent)
})

test('an answer in the place of its preview is tried longer than a message whose fate is unclear, which is given up at last', async () => {
  const tries = createSendTries()
  const edit = async () => unknown
  for (let count = 0; count < 12; count++)
    expect((await tryOnce({ edits: 'p1' }, { methods: { edit }, change: { tries } })).result.status).toBe('retry')
  const over = { tries: { next: () => undefined, forget: () => undefined } }
  const spec = { capabilities: { idempotentSend: true } }
  const given = await tryOnce({}, { methods: { send: edit }, spec, change: over })
  expect(given.result).toMatchObject({ status: 'unknown', mark: expect.any(String) })
})

test('the parts of an answer wait for the pause of the platform where it has one', async () => {
  const message = { ...waiting.message, part: { index: 1, total: 2 } }
  expect((await tryOnce({ message })).did).toEqual(['send'])
  const did: string[] = []
  const sleep = async (ms: number): Promise<void> => {
    if (ms !== 700) return new Promise(() => undefined)
    await new Promise(setImmediate)
    did.push('pause')
  }
  const send = async () => {
    did.push('send')
    return sent
  }
  const spec = { limits: { pauseMs: 700 } }
  await tryOnce({ message }, { methods: { send }, spec, change: { clock: { now: () => now, sleep } } })
  expect(did).toEqual(['pause', 'send'])
})

test('the tree of a text is made for platforms with their own dialect, and not for previews', async () => {
  const bodies: unknown[] = []
  const send = async ({ body }: OutboundMessage) => {
    bodies.push(body?.length)
    return sent
  }
  const preview = { ...waiting.message, preview: true } as const
  await tryOnce({}, { methods: { send } })
  await tryOnce({}, { methods: { send }, spec: { markup: 'tree' } })
  await tryOnce({ message: preview }, { methods: { send }, spec: { markup: 'tree' } })
  expect(bodies).toEqual([undefined, 1, undefined])
})

test('a mark waits while nothing is heard on its connection, and an answer does not', async () => {
  const heard = (ago: number, send: Partial<ClaimedSend>) => tryOnce(send, { methods: { lastHeard: async () => now - ago } })
  expect(await heard(20_000, { isMark: true })).toMatchObject({ did: [], result: retry(2000) })
  expect(await heard(20_000, {})).toMatchObject({ did: ['send'], result: sent })
  expect(await heard(9_000, { isMark: true })).toMatchObject({ did: ['send'], result: sent })
  const deaf = { lastHeard: () => Promise.reject(new Error('gone')) }
  expect(await tryOnce({ isMark: true }, { methods: deaf })).toMatchObject({ did: [], result: retry(2000) })
})

test('after half a minute of silence a mark is sent all the same', async () => {
  const tries = createSendTries()
  const silent = () => tryOnce({ isMark: true }, { methods: { lastHeard: async () => 0 }, change: { tries } })
  let waited = 0
  for (let last = await silent(); last.result.status === 'retry'; last = await silent()) waited += last.result.notBefore - now
  expect(waited).toBe(30_000)
  expect((await silent()).did).toEqual(['send'])
})

test('an answer that is refused for its credentials waits until they are proved again, and is given up after ten times', async () => {
  const ended: Receipt = { status: 'refused', error: { code: 'PLATFORM_AUTH', params: { platform: 'Talk', detail: 'no such token' } } }
  const broken: unknown[] = []
  const tries = createSendTries()
  const refuse = async () => ended
  const spec = talkSpec({ capabilities: { edit: true } })
  const connection = talkConnection(spec, { send: refuse, edit: refuse })
  const link = { connection: () => connection, breakOff: (error: unknown) => void broken.push(error) }
  const change = { tries, links: new Map([['talk', link]]) }
  expect((await tryOnce({}, { change })).result).toEqual(retry(2000))
  expect((await tryOnce({ edits: 'p1' }, { change })).result).toEqual(retry(4000))
  expect(broken).toEqual([ended.error, ended.error])
  expect((await tryOnce({ message: { ...waiting.message, preview: true } }, { change })).result).toEqual(ended)
  for (let time = 3; time < 10; time++) await tryOnce({}, { change })
  expect(broken).toHaveLength(9)
  expect((await tryOnce({}, { change })).result).toEqual(ended)
  expect(broken).toHaveLength(9)
})
