import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { askedIn, resultsIn } from '../../support/agents/scripted-agents.ts'
import type { FakeOpenai } from '../../support/fakes/fake-openai.ts'
import type { FakeRequest } from '../../support/fakes/fake-vendor.ts'
import { waitUntil } from '../../support/servers/wait-until.ts'
import type { TestHome } from '../../support/test-home.ts'
import { readChildEnds } from '../stored.ts'
import { messageOf } from './model.ts'

interface Ground {
  readonly home: TestHome
  readonly model: FakeOpenai
  readonly say: (id: string, text: string) => void
  readonly quietMs: number
}

/** Where a tree is when the person says `/stop`. */
const points: Readonly<
  Record<string, (seen: { readonly asked: readonly FakeRequest[]; readonly sleeps: () => readonly string[] }) => boolean>
> = {
  'the parent asks its model': ({ asked }) => asked.length > 0,
  'the first child asks its model': ({ asked }) => asked.some((request) => !isParent(request)),
  'a tool of a child runs': ({ sleeps }) => sleeps().length > 0,
  'a child has heard of its tool': ({ asked }) => asked.some((request) => !isParent(request) && resultsIn(request).length > 0),
}

const isParent = (request: FakeRequest): boolean => askedIn(request).startsWith('delegate ')

/** Within this time after a stop each child has its end. */
const endsWithinMs = 2_000

/** Stops a tree at each of its steps; answers what went on behind it, or what did not go on after it. */
export async function stopEverywhere({ home, model, say, quietMs }: Ground): Promise<readonly string[]> {
  const problems: string[] = []
  for (const [index, [name, isThere]] of Object.entries(points).entries()) {
    // A tool that is stopped has to be running for a while.
    const id = `stop${index}${name.endsWith('runs') ? '-long' : ''}`
    const own = (): readonly FakeRequest[] => model.requests.filter((request) => askedIn(request).includes(id))
    say(id, messageOf(id, 'endless'))
    await waitUntil(name, 20_000, () => isThere({ asked: own(), sleeps: () => sleepsIn(home) }))
    say(`${id}-stop`, '/stop')
    await pause(quietMs)
    const open = (): readonly string[] => [...stillOpen(home, id, own()), ...sleepsIn(home)]
    await waitUntil(name, endsWithinMs, () => open().length === 0).catch(() =>
      problems.push(`${name}: ${endsWithinMs} ms after the stop this was not interrupted: ${open().join(', ')}.`),
    )
    const before = own().length
    await pause(quietMs)
    if (own().length > before) problems.push(`${name}: the tree asked its model ${own().length - before} times after it was stopped.`)
  }
  return problems
}

/** The children of a message that were not interrupted. One that had heard of its tool may have completed before. */
function stillOpen(home: TestHome, id: string, asked: readonly FakeRequest[]): readonly string[] {
  const goalOf = (request: FakeRequest): string => askedIn(request).split('\n')[0] ?? ''
  const children = asked.filter((request) => !isParent(request))
  const mayHaveCompleted = new Set(
    children.filter((request) => goalOf(request).endsWith('tool') && resultsIn(request).length > 0).map(goalOf),
  )
  const ends = new Map(readChildEnds(home).flatMap(({ goal, reason }) => (goal.startsWith(`${id} `) ? [[goal, reason]] : [])))
  return [...new Set([...children.map(goalOf), ...ends.keys()])].flatMap((goal) => {
    const reason = ends.get(goal)
    const isOver = reason === 'interrupted' || (reason === 'completed' && mayHaveCompleted.has(goal))
    return isOver ? [] : [`${goal} (${reason ?? 'no end'})`]
  })
}

/** The long tools of this home that run now. */
function sleepsIn(home: TestHome): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const isLong = /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === 'sleep\x0030\0'
      return isLong && readlinkSync(`/proc/${pid}/cwd`).startsWith(home.folder) ? [`sleep 30 (${pid})`] : []
    } catch {
      // It has ended meanwhile, or belongs to somebody else.
      return []
    }
  })
}
