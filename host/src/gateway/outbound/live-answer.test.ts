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
  write(text: string): void
}

interface Shape {
  readonly prefix?: string
  readonly limits?: Partial<PlatformManifest['limits']>
}

async function withRig(
  methods: Partial<Connection>,
  act: (rig: Rig) => Promise<void>,
  { prefix = '', limits = {} }: Shape = {},
): Promise<void> {
  await using place = await createTemporaryStore()
  const { journal, leases } = await place.open()
  await leases.hold('boot', 'boot', 60_000)
  await journal.accept('talk', question)
  const claim = await journal.claim('boot')
  if (!claim) throw new Error('nothing was accepted')
  const shown: string[] = []
  const clock = createFakeClock()
  const spec = talkSpec({ capabilities: { edit: methods.edit !== undefined }, limits: { maxLength: 60, ...limits } })
  const connection = talkConnection(spec, {
    send: async (message, call) => {
      shown.push(`send ${message.text}`)
      expect(message).toMatchObject({ preview: true, replyTo: 'm1', conversation: 'ann', account: 'bot' })
      return methods.send?.(message, call) ?? sent
    },
    ...(methods.edit && {
      edit: async (id: string, message: OutboundMessage, call) => {
        shown.push(`edit ${id} ${message.text}`)
        return methods.edit?.(id, message, call) ?? sent
      },
    }),
  })
  const { patience } = reaching(spec, connection, clock.now)
  const live = openLiveAnswer({ journal, claim, spec, connection: () => connection, patience, prefix, refers: true, clock, log: silentLog })
  await act({ live, clock, journal, claim, patience, shown, write: (text) => live.hear({ type: 'message.delta', text }) })
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
    expect(edited).toBe(1)
    await clock.advance(15_000)
    write('and the cat had a mouse, which had a cheese')
    await clock.advance(5_000)
    expect(edited).toBeGreaterThan(1)
    await live.stop()
  })
})
