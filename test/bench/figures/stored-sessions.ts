import { join } from 'node:path'
import type { ModelMessage } from '@agent/plugin-sdk'
import { systemClock } from '../../../host/src/kernel/clock.ts'
import { newId } from '../../../host/src/kernel/ids.ts'
import { silentLog } from '../../../host/src/observe/silent-log.ts'
import { nativeBinding } from '../../../host/src/store/native.ts'
import { openStore } from '../../../host/src/store/sqlite/open.ts'
import type { Store } from '../../../host/src/store/store.ts'
import { type Figure, median } from '../figure.ts'

const sessions = 10_000
const words = 'river stone cloud letter garden window bridge paper engine silver music winter harbour lantern forest table'.split(' ')

/** A home with ten thousand conversations of three exchanges: how long the latest takes to open, and a word to find. */
export const storedSessions: Figure = {
  name: 'stored-sessions',
  async measure({ folder, signal }) {
    const file = join(folder, 'sessions.db')
    const options = { file, durability: 'process', clock: systemClock, log: silentLog, nativeBinding: nativeBinding({}) } as const
    const filling = await openStore(options)
    await fill(filling, signal)
    await filling.close()
    const store = await openStore(options)
    // The first search indexes what the last turns left; that is not what is measured.
    await store.sessions.search('harbour', { limit: 1 })
    const opening: number[] = []
    const rare: number[] = []
    const frequent: number[] = []
    for (let round = 0; round < 15; round++) {
      opening.push(await time(async () => store.sessions.history((await store.sessions.resolve('latest')).id)))
      rare.push(await time(() => store.sessions.search(`number${round * 500}`, { limit: 20 })))
      frequent.push(await time(() => store.sessions.search(`${words[round]} ${words[(round + 3) % words.length]}`, { limit: 20 })))
    }
    await store.close()
    const open = median(opening)
    const search = Math.max(median(rare), median(frequent))
    return [
      {
        figure: 'sessions-open',
        budget: '≤ 10 ms',
        floor: '',
        value: `${open.toFixed(2)} ms`,
        ok: open <= 10,
        note: `latest of ${sessions}, with its messages`,
      },
      {
        figure: 'sessions-search',
        budget: '≤ 50 ms',
        floor: `${median(rare).toFixed(2)} ms for one hit`,
        value: `${search.toFixed(2)} ms`,
        ok: search <= 50,
        note: 'two words that stand in thousands of messages',
      },
    ]
  },
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function fill(store: Store, signal: AbortSignal): Promise<void> {
  for (let first = 0; first < sessions; first += 250) {
    signal.throwIfAborted()
    await Promise.all(Array.from({ length: 250 }, (_, offset) => addSession(store, first + offset)))
  }
}

function addSession(store: Store, number: number): Promise<void> {
  const create = { source: 'cli', provider: 'custom', model: 'bench', system: 'You are a program under measurement.', tools: '[]' }
  const usage = { input: 100, output: 50, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  const messages = Array.from({ length: 6 }, (_, index) => messageOf(number, index))
  return store.sessions.commit({ session: { id: newId('ses'), create }, messages, usage, calls: 3, at: systemClock.now() })
}

function messageOf(number: number, index: number): ModelMessage {
  const picked = Array.from({ length: 24 }, (_, position) => words[(number * 7 + index * 5 + position * (1 + (number % 5))) % words.length])
  const part = { type: 'text', text: `number${number} ${picked.join(' ')}` } as const
  return index % 2 === 0 ? { role: 'user', parts: [part] } : { role: 'assistant', parts: [part] }
}
