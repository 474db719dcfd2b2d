import { join } from 'node:path'
import type { ModelMessage } from '@agent/plugin-sdk'
import { systemClock } from '../../../host/src/kernel/clock.ts'
import { newId } from '../../../host/src/kernel/ids.ts'
import { silentLog } from '../../../host/src/observe/silent-log.ts'
import { nativeBinding } from '../../../host/src/store/native.ts'
import { openStore } from '../../../host/src/store/sqlite/open.ts'
import type { Store } from '../../../host/src/store/store.ts'
import type { Figure } from '../figure.ts'

const sessions = 10_000
const messages = 10
const rounds = 400
const owners = ['owner', 'person:post:bot:ann'] as const

/** A store of a hundred thousand messages of two owners, in which words are as frequent as in a language: how long a question of up to eight words takes. */
export const recall: Figure = {
  name: 'recall',
  async measure({ folder, signal }) {
    const file = join(folder, 'recall.db')
    const options = { file, durability: 'process', clock: systemClock, log: silentLog, nativeBinding: nativeBinding({}) } as const
    const store = await openStore(options)
    const say = createSpeaker()
    await fill(store, say, signal)
    // What is measured is a program that has been asked before: the first questions read the index into memory.
    for (let round = 0; round < rounds / 4; round++) await ask(store, say, round)
    const asked: Took[] = []
    for (let round = 0; round < rounds; round++) asked.push(await ask(store, say, round))
    await store.close()
    const [times, works] = [asked.map(({ ms }) => ms), asked.map(({ cpuMs }) => cpuMs)].map((each) => each.sort((a, b) => a - b))
    const at = (values: readonly number[] = [], share: number): number => values[Math.floor(rounds * share)] ?? Number.NaN
    const most = at(times, 0.95)
    return [
      {
        figure: 'recall',
        budget: '≤ 20 ms p95',
        floor: `${at(times, 0.5).toFixed(1)} ms median`,
        value: `${most.toFixed(1)} ms`,
        ok: most <= 20,
        note: `${sessions * messages} messages of ${owners.length} owners; processor time ${at(works, 0.95).toFixed(1)} ms p95`,
      },
    ]
  },
}

interface Took {
  readonly ms: number
  /** Of the processor: what others do on the machine is not in it. */
  readonly cpuMs: number
}

async function ask(store: Store, say: Say, round: number): Promise<Took> {
  const query = say(1 + (round % 8))
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  await store.past.find({ owner: owners[round % owners.length] ?? '', query, most: 10 })
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1_000 }
}

type Say = (words: number) => string

/** The n-th word is said a n-th as often as the first one. The same each time. */
function createSpeaker(): Say {
  const words = 20_000
  let seed = 1
  const chance = (): number => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const word = (): string => `w${Math.floor(Math.exp(chance() * Math.log(words))).toString(36)}`
  return (count) => Array.from({ length: count }, word).join(' ')
}

async function fill(store: Store, say: Say, signal: AbortSignal): Promise<void> {
  const usage = { input: 100, output: 50, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  for (let first = 0; first < sessions; first += 250) {
    signal.throwIfAborted()
    const commits = Array.from({ length: 250 }, (_, offset) => {
      const owner = owners[(first + offset) % 5 === 0 ? 1 : 0]
      const create = {
        source: 'cli',
        provider: 'custom',
        model: 'bench',
        system: 'You are measured.',
        tools: '[]',
        ...(owner ? { owner } : {}),
      }
      const said = Array.from(
        { length: messages },
        (_message, at): ModelMessage => ({ role: at % 2 === 0 ? 'user' : 'assistant', parts: [{ type: 'text', text: say(40) }] }),
      )
      return store.sessions.commit({ session: { id: newId('ses'), create }, messages: said, usage, calls: 5, at: systemClock.now() })
    })
    await Promise.all(commits)
  }
}
