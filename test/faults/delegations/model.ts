import { askedIn, call, delegate, resultsIn } from '../../support/agents/scripted-agents.ts'
import { type FakeOpenai, startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import type { FakeAnswer, FakeRequest } from '../../support/fakes/fake-vendor.ts'

/**
 * What a message makes of the agent: two children that talk or run a tool, a tree, a child that never ends, a crowd of children without end, and
 * children that work on behind the answer.
 */
export const kinds = ['talk', 'tool', 'tree', 'endless', 'bomb', 'behind'] as const
export type Kind = (typeof kinds)[number]

/** The message of a person. */
export const messageOf = (id: string, kind: Kind): string => `delegate ${id} ${kind}`

/** What the parent says at its end. */
export const answerOf = (id: string): string => `done ${id}`

/** What it says when a child has ended that worked on behind its answer. */
export const toldOf = (goal: string): string => `told ${goal}`

/** A tool that writes down who ran it, and takes a while. */
const tool = (goal: string): FakeAnswer =>
  call('terminal', { command: `echo '${goal}' | tee -a lines.txt && sleep ${goal.includes('long') ? 30 : 0.2}` })

const tasksOf: Readonly<Record<Kind, (id: string) => readonly object[]>> = {
  talk: (id) => ['a', 'b'].map((name) => ({ goal: `${id} ${name} talk` })),
  tool: (id) => ['a', 'b', 'c'].map((name) => ({ goal: `${id} ${name} tool` })),
  tree: (id) => ['a', 'b'].map((name) => ({ goal: `${id} ${name} tree`, role: 'orchestrator' })),
  endless: (id) => [{ goal: `${id} a endless` }, { goal: `${id} b tool` }],
  bomb: (id) => ['a', 'b', 'c'].map((name) => ({ goal: `${id} ${name} bomb`, role: 'orchestrator' })),
  behind: (id) => [{ goal: `${id} a tool` }, { goal: `${id} b talk` }, { goal: `${id} c endless` }],
}

/** The children that an agent of a bomb wants, first too many, and then as many as it can get, again and again. */
function explode(id: string, step: number): FakeAnswer {
  const more = Array.from({ length: step === 0 ? 50 : 3 }, () => ({ goal: `${id} x bomb`, role: 'orchestrator' }))
  return delegate({ tasks: more })
}

/** A bomb ends when it was refused so often. */
const mostRefused = 4

/** What the model of a parent or of a child says next. It counts steps by what it heard: after a kill it goes on where it was. */
function answer(request: FakeRequest): FakeAnswer {
  const [asked = '', told = ''] = askedIn(request).split('\n')
  if (asked.startsWith('[No person says this')) return { text: toldOf((JSON.parse(told) as { task: string }).task) }
  const heard = resultsIn(request)
  const [, parent, kind] = /^delegate (\S+) (\S+)$/.exec(asked) ?? []
  if (parent !== undefined && kind !== undefined) {
    if (kind === 'bomb' && heard.length === 0) return explode(parent, 0)
    if (heard.length === (kind === 'bomb' ? 1 : 0)) return delegate({ tasks: tasksOf[kind as Kind](parent), background: kind === 'behind' })
    return { text: answerOf(parent) }
  }
  const [id = '', name = '', work = ''] = asked.split(' ')
  if (work === 'talk') return { text: `I am ${asked}.` }
  if (work === 'endless') return heard.length === 0 ? tool(asked) : { hang: 'headers' }
  if (work === 'bomb')
    return heard.filter((text) => text.includes('No child agent was started')).length >= mostRefused
      ? { text: 'enough' }
      : explode(id, heard.length)
  if (heard.length > 0) return { text: `I am ${asked}.` }
  return work === 'tree' ? delegate({ tasks: [{ goal: `${id} ${name}1 tool` }, { goal: `${id} ${name}2 talk` }] }) : tool(asked)
}

export function startModel(): Promise<FakeOpenai> {
  return startFakeOpenai({ answers: answer })
}
