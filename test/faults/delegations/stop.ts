import { setTimeout as pause } from 'node:timers/promises'
import { askedIn, resultsIn } from '../../support/agents/scripted-agents.ts'
import type { FakeOpenai } from '../../support/fakes/fake-openai.ts'
import type { FakeRequest } from '../../support/fakes/fake-vendor.ts'
import { waitUntil } from '../../support/servers/wait-until.ts'
import type { TestHome } from '../../support/test-home.ts'
import { messageOf } from './model.ts'
import { readLines } from './read-children.ts'

interface Ground {
  readonly home: TestHome
  readonly model: FakeOpenai
  readonly say: (id: string, text: string) => void
  readonly quietMs: number
}

/** Where a tree is when the person says `/stop`. */
const points: Readonly<Record<string, (seen: { readonly asked: readonly FakeRequest[]; readonly lines: readonly string[] }) => boolean>> = {
  'the parent asks its model': ({ asked }) => asked.length > 0,
  'the first child asks its model': ({ asked }) => asked.some((request) => !isParent(request)),
  'a tool of a child runs': ({ lines }) => lines.length > 0,
  'a child has heard of its tool': ({ asked }) => asked.some((request) => !isParent(request) && resultsIn(request).length > 0),
}

const isParent = (request: FakeRequest): boolean => askedIn(request).startsWith('delegate ')

/** Stops a tree at each of its steps; answers what went on behind it, or what did not go on after it. */
export async function stopEverywhere({ home, model, say, quietMs }: Ground): Promise<readonly string[]> {
  const problems: string[] = []
  for (const [index, [name, isThere]] of Object.entries(points).entries()) {
    // A tool that is stopped has to be running for a while.
    const id = `stop${index}${name.endsWith('runs') ? '-long' : ''}`
    const own = (): readonly FakeRequest[] => model.requests.filter((request) => askedIn(request).includes(id))
    const lines = (): readonly string[] => readLines(home).filter((line) => line.includes(id))
    say(id, messageOf(id, 'endless'))
    await waitUntil(name, 20_000, () => isThere({ asked: own(), lines: lines() }))
    say(`${id}-stop`, '/stop')
    await pause(quietMs)
    const before = own().length
    await pause(quietMs)
    if (own().length > before) problems.push(`${name}: the tree asked its model ${own().length - before} times after it was stopped.`)
  }
  return problems
}
