import type { Connection, InboundMessage, OutboundMessage, PlatformManifest, Receipt } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { Claim } from '#store/journal.ts'
import type { Store } from '#store/store.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { Patience } from '../rules/patience.ts'
import { reaching, talkConnection, talkSpec } from '../testing/talk.ts'
import { type LiveAnswer, openLiveAnswer } from './live-answer.ts'

const question: InboundMessage = {
  ...{ id: 'm1', account: 'bot', conversation: { id: 'ann', kind: 'dm' }, sender: { id: 'ann', isBot: false } },
  ...{ text: 'Tell me.', addressed: true },
}

interface Rig {
  readonly live: LiveAnswer
  readonly clock: FakeClock
  readonly journal: Store['journal']
  readonly claim: Claim
  readonly patience: Patience
  /** What the platform was told, in order. */
  readonly shown: readonly string[]
  /** The keys of what it was told. */
  readonly keys: readonly string[]
  readonly warned: readonly string[]
  write(text: string): void
}

interface Shape {
  readonly prefix?: string
  readonly limits?: Partial<PlatformManifest['limits']>
  /** What an earlier attempt has posted. */
  readonly preview?: Claim['preview']
  readonly isConnected?: () => boolean
  readonly change?: (journal: Store['journal']) => Partial<Store['journal']>
}

async function withRig(
  methods: Partial<Connection>,
  act: (rig: Rig) => Promise<void>,
  { prefix = '', limits = {}, preview, isConnected = () => true, change = () => ({}) }: Shape = {},
): Promise<void> {
  await using place = await createTemporaryStore()
  const { journal, leases } = await place.open()
  await leases.hold('boot', 'boot', 60_000)
  await journal.accept('talk', question)
  const taken = await journal.claim('boot')
  if (!taken) throw new Error('nothing was accepted')
  const claim = { ...taken, ...(preview && { preview }) }
  const shown: string[] = []
  const keys: string[] = []
  const warned: string[] = []
  const log = { ...silentLog, warn: (text: string) => warned.push(text) }
  const clock = createFakeClock()
  const spec = talkSpec({ capabilities: { edit: methods.edit !== undefined }, limits: { maxLength: 60, ...limits } })
  const connection = talkConnection(spec, {
    send: async (message, call) => {
      shown.push(`send ${message.text}`)
      keys.push(message.key)
      expect(message).toMatchObject({ preview: true, replyTo: 'm1', conversation: 'ann', account: 'bot', part: { index: 0, total: 1 } })
      return methods.send?.(message, call) ?? sent
    },
    ...(methods.edit && {
      edit: async (id: string, message: OutboundMessage, call) => {
        shown.push(`edit ${id} ${message.text}`)
        keys.push(message.key)
        return methods.edit?.(id, message, call) ?? sent
      },
    }),
  })
  const { patience } = reaching(spec, connection, clock.now)
  const live = openLiveAnswer({
    ...{ journal: { ...journal, ...change(journal) }, claim, spec, patience, prefix, refers: true, clock, log },
    connection: () => (isConnected() ? connection : undefined),
  })
  await act({ live, clock, journal, claim, patience, shown, keys, warned, write: (text) => live.hear({ type: 'message.delta', text }) })
}

const sent: Receipt = { status: 'sent', platformId: 'p1' }
const lost: Receipt = { status: 'unknown', error: { code: 'SEND_UNKNOWN', params: {} } }
const edits: Partial<Connection> = { edit: async () => sent }
const limited = (retryAfterMs: number): Receipt => ({
  status: 'refused',
  error: { code: 'SEND_REFUSED', params: { platform: 'Talk', detail: 'slow down' }, retryAfterMs },
})

test('an answer grows in one message, no faster than the platform likes', async () => {
  await withRig(edits, async ({ live, clock, shown, write }) => {
    write('Once upon')
    await clock.advance(5000)
    expect(shown).toEqual([])
    write(' a time there was')
    await expect.poll(() => shown).toEqual(['send Once upon a time there was ▉'])
    write(' a small agent that wrote')
    await clock.advance(700)
    expect(shown).toHaveLength(1)
    await clock.advance(200)
    expect(shown[1]).toBe('edit p1 Once upon a time there was a small agent that wrote ▉')
    await live.stop()
    write(' and more and more and more and more')
    await clock.advance(5000)
    expect(shown).toHaveLength(2)
  })
})

test('the answer itself replaces the preview', async () => {
  await withRig(edits, async ({ live, clock, shown, write, journal, claim }) => {
    write('Once upon a time there was')
    await expect.poll(() => shown).toHaveLength(1)
    await clock.advance(1000)
    await live.stop()
    await journal.answer(claim, { outbound: [{ text: 'Once upon a time.' }, { text: 'The end.' }], turn: null })
    const [first, second] = [await journal.claimSend('boot'), undefined]
    expect(first).toMatchObject({ edits: 'p1', message: { text: 'Once upon a time.' } })
    expect(second).toBeUndefined()
  })
})

test('only as much as one message holds is shown, with the prefix', async () => {
  await withRig(
    edits,
    async ({ live, shown, write }) => {
      write('word '.repeat(40))
      await expect.poll(() => shown).toHaveLength(1)
      expect(shown[0]?.length).toBeLessThanOrEqual('send '.length + 60)
      expect(shown[0]).toMatch(/^send \[bot\] word .* ▉$/)
      await live.stop()
    },
    { prefix: '[bot] ' },
  )
})

test('what was said before a tool gives way to what comes after it', async () => {
  await withRig(edits, async ({ live, clock, shown, write }) => {
    write('Let me look into this for you.')
    await expect.poll(() => shown).toHaveLength(1)
    live.hear({ type: 'tool.start', id: 'c1', name: 'look', args: {}, preview: '' })
    write('Here is what I have found out:')
    await clock.advance(1000)
    expect(shown[1]).toBe('edit p1 Here is what I have found out: ▉')
    await live.stop()
  })
})

test('what is refused for haste is not tried again until the platform has had its time and a calm minute', async () => {
  const answers = [limited(30_000)]
  await withRig({ edit: async () => answers.shift() ?? sent }, async ({ live, clock, shown, write, patience, claim }) => {
    for (let second = 0; second < 85; second++) {
      write('many words that are written ')
      await clock.advance(1000)
    }
    expect(shown.map((words) => words.slice(0, 7))).toEqual(['send ma', 'edit p1'])
    // The answer itself waits for the named time and not longer.
    expect(patience.until({ platform: 'talk', account: 'bot', conversation: claim.message.conversation.id })).toBeLessThan(clock.now())
    await clock.advance(10_000)
    expect(shown).toHaveLength(3)
    await live.stop()
  })
})

test('every showing counts for what the account may still say, and half of that is kept for answers', async () => {
  const limits = { budget: { burst: 3, everyMs: 60_000 } }
  const talk = async ({ live, clock, shown, write }: Rig): Promise<void> => {
    for (let second = 0; second < 20; second++) {
      write('many words that are written ')
      await clock.advance(1000)
    }
    expect(shown.map((words) => words.slice(0, 7))).toEqual(['send ma', 'edit p1'])
    await live.stop()
  }
  await withRig(edits, talk, { limits })
})

test('a first message that is refused is the last, and the answer comes as a whole', async () => {
  await withRig({ ...edits, send: async () => limited(0) }, async ({ live, clock, shown, write, journal, claim }) => {
    write('Once upon a time there was a king')
    await clock.advance(5000)
    write('Once upon a time there was a king')
    await clock.advance(5000)
    await live.stop()
    expect(shown).toHaveLength(1)
    await journal.answer(claim, { outbound: [{ text: 'whole' }], turn: null })
    expect(await journal.claimSend('boot')).not.toHaveProperty('edits')
  })
})

test('a first message of unknown fate is left to the outbox, before the answer', async () => {
  await withRig({ ...edits, send: async () => lost }, async ({ live, clock, shown, write, journal, claim }) => {
    write('Once upon a time there was a king')
    await clock.advance(5000)
    await live.stop()
    expect(shown).toHaveLength(1)
    await journal.answer(claim, { outbound: [{ text: 'whole' }], turn: null })
    const preview = await journal.claimSend('boot')
    expect(preview).toMatchObject({ doubt: 'ask', message: { preview: true } })
    if (preview) await journal.settleSend(preview, sent)
    expect(await journal.claimSend('boot')).toMatchObject({ edits: 'p1', message: { text: 'whole' } })
  })
})

test('where nothing can be edited nothing is shown early', async () => {
  await withRig({}, async ({ live, clock, shown, write }) => {
    write('Once upon a time there was a king')
    await clock.advance(5000)
    await live.stop()
    expect(shown).toEqual([])
  })
})

test('an edit that is not answered in time is no refusal: the next one is tried', async () => {
  let edited = 0
  const edit = (): Promise<Receipt> => {
    edited += 1
    return edited === 1 ? new Promise(() => undefined) : Promise.resolve(sent)
  }
  await withRig({ edit }, async ({ live, clock, write }) => {
    write('Once upon a time there was a king')
    await clock.advance(1000)
    write('and he had a daughter, who had a cat')
    await clock.advance(1000)
    write('and the daughter and her cat had a house')
    await clock.advance(3000)
    expect(edited).toBe(1)
    await clock.advance(15_000)
    write('and the cat had a mouse, which had a cheese')
    await clock.advance(5_000)
    expect(edited).toBeGreaterThan(1)
    await live.stop()
  })
})

const words = 'many words that are written '

test('after a pause the next words are shown, as soon as there are enough of them', async () => {
  await withRig(edits, async ({ live, clock, shown, keys, write }) => {
    write('x'.repeat(23))
    await clock.advance(5000)
    expect(shown).toHaveLength(0)
    write('x')
    await expect.poll(() => clock.sleeping()).toBe(1)
    await clock.advance(5000)
    expect(shown).toHaveLength(1)
    live.hear({ type: 'reasoning.delta', text: 'What comes next?' })
    write('y'.repeat(24))
    await clock.advance(0)
    expect(shown[1]).toBe(`edit p1 ${'x'.repeat(24)}${'y'.repeat(24)} ▉`)
    // While an edit is under way too.
    write('z'.repeat(24))
    await clock.advance(1000)
    expect(shown).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    await live.stop()
  })
})

test('a new attempt goes on with the message of an earlier one, unless nobody knows whether it is there', async () => {
  const talk = async ({ live, clock, shown, write }: Rig): Promise<void> => {
    write(words)
    await clock.advance(1000)
    write(words)
    await clock.advance(1000)
    await live.stop()
    seen = shown.map((text) => text.slice(0, 7))
  }
  let seen: readonly string[] = []
  await withRig(edits, talk, { preview: { platformId: 'p0' } })
  expect(seen).toEqual(['edit p0', 'edit p0'])
  await withRig(edits, talk, { preview: { platformId: null } })
  expect(seen).toEqual([])
})

test.each([
  ['refused', async () => ({ status: 'refused', error: { code: 'SEND_REFUSED', params: {} } }) as const],
  ['failing', async () => Promise.reject(new Error('no'))],
])('an edit that is %s for good is the last', async (_, edit) => {
  await withRig({ edit }, async ({ live, clock, shown, warned, write }) => {
    for (let second = 0; second < 6; second++) {
      write(words)
      await clock.advance(2000)
    }
    expect(shown.map((text) => text.slice(0, 4))).toEqual(['send', 'edit'])
    expect(warned).toEqual([])
    await live.stop()
  })
})

test.each([
  ['refused', async () => ({ status: 'refused', error: { code: 'SEND_REFUSED', params: {} } }) as const],
  ['failing', async () => Promise.reject(new Error('no'))],
])('a first message that is %s leaves the conversation to others, and the answer comes as a whole', async (_, send) => {
  await withRig({ ...edits, send }, async ({ live, clock, shown, warned, patience, journal, claim, write }) => {
    for (let second = 0; second < 3; second++) {
      write(words)
      await clock.advance(2000)
    }
    await live.stop()
    expect([shown.length, warned]).toEqual([1, []])
    expect(patience.until({ platform: 'talk', account: 'bot', conversation: 'ann' })).toBe(0)
    await journal.answer(claim, { outbound: [{ text: 'whole' }], turn: null })
    const answer = await journal.claimSend('boot')
    expect(answer).toMatchObject({ message: { text: 'whole' } })
    expect(answer).not.toHaveProperty('edits')
  })
})

test('a first message that came too fast lets all wait there', async () => {
  await withRig({ ...edits, send: async () => limited(30_000) }, async ({ live, clock, write, patience }) => {
    write(words)
    await clock.advance(0)
    expect(patience.until({ platform: 'talk', account: 'bot', conversation: 'ann' })).toBe(clock.now() + 30_000)
    await live.stop()
  })
})

test('a first message that is not answered in time may be there: the outbox finds out', async () => {
  const settled: unknown[] = []
  const talk = async ({ live, clock, shown, write }: Rig): Promise<void> => {
    write(words)
    await expect.poll(() => shown).toHaveLength(1)
    await clock.advance(20_000)
    await live.stop()
    expect(settled).toEqual([{ status: 'retry', notBefore: expect.any(Number), doubt: 'ask' }])
  }
  const change: Shape['change'] = () => ({ settleSend: async (_, result) => void settled.push(result) })
  await withRig({ ...edits, send: () => new Promise(() => undefined) }, talk, { change })
})

test('while the platform is away nothing is shown, and what is there grows on when it is back', async () => {
  let isConnected = true
  const talk = async ({ live, clock, shown, warned, write }: Rig): Promise<void> => {
    for (let second = 0; second < 9; second++) {
      isConnected = second < 3 || second > 5
      write(words)
      await clock.advance(1000)
    }
    await live.stop()
    expect([shown.length, warned]).toEqual([6, []])
  }
  await withRig(edits, talk, { isConnected: () => isConnected })
  const away = async ({ live, clock, shown, warned, write }: Rig): Promise<void> => {
    write(words)
    await clock.advance(1000)
    await live.stop()
    expect([shown, warned]).toEqual([[], []])
  }
  await withRig(edits, away, { isConnected: () => false })
  // What was said there before has not left yet.
  await withRig(edits, away, { change: () => ({ startPreview: async () => null }) })
})

test('a preview that cannot be noted is not shown, once and for all', async () => {
  let tried = 0
  const startPreview = async () => {
    tried += 1
    throw new Error('the disk is full')
  }
  const talk = async ({ live, clock, shown, warned, write }: Rig): Promise<void> => {
    for (let second = 0; second < 3; second++) {
      write(words)
      await clock.advance(2000)
    }
    await live.stop()
    expect([shown, tried, warned.length]).toEqual([[], 1, 1])
  }
  await withRig(edits, talk, { change: () => ({ startPreview }) })
})

test('the end waits for what is under way until it is written down', async () => {
  const done: string[] = []
  let goOn = (): void => undefined
  const send = async () => {
    await new Promise<void>((resolve) => (goOn = resolve))
    return sent
  }
  const talk = async ({ live, clock, write }: Rig): Promise<void> => {
    write(words)
    await clock.advance(100)
    const stopping = live.stop().then(() => done.push('stopped'))
    await clock.advance(100)
    expect(done).toEqual([])
    goOn()
    await stopping
    expect(done).toEqual(['settled', 'stopped'])
  }
  const change: Shape['change'] = (journal) => ({
    settleSend: async (...about) => {
      await new Promise(setImmediate)
      await journal.settleSend(...about)
      done.push('settled')
    },
  })
  await withRig({ ...edits, send }, talk, { change })
})

test('with its cursor a preview is never longer than a message may be', async () => {
  const talk = async ({ live, clock, shown, write }: Rig): Promise<void> => {
    write('x'.repeat(100))
    await clock.advance(0)
    await live.stop()
    expect(Buffer.byteLength(shown[0] ?? '')).toBeLessThanOrEqual('send '.length + 60)
  }
  await withRig(edits, talk, { limits: { unit: 'bytes' } })
})
