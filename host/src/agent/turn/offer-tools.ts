import type { ToolChoice, ToolSpec, TurnRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { callName, isOfPair } from '#tools/search/pair.ts'
import { nameFolder } from './prompt.ts'

/** The tools of one turn. */
export interface OfferedTools {
  /** What the model is shown: the agent's tools before the caller's. */
  readonly specs: readonly ToolSpec[]
  /** Names of the agent's tools that may be called. */
  readonly own: ReadonlySet<string>
  /** Names of all that may be called through `tool_call`; empty without it. */
  readonly reachable: ReadonlySet<string>
  /** Names of the caller's. */
  readonly theirs: ReadonlySet<string>
  /** True where the model has to call one of the caller's tools. */
  readonly forced: boolean
}

/** A caller's tool takes the place of an agent's tool of the same name. A choice that forces a call leaves only what may be called. */
export function offerTools(agent: readonly ToolSpec[], request: TurnRequest, reachable: ReadonlySet<string>): OfferedTools {
  const { clientTools = [], agentTools = true, toolChoice = 'auto' } = request
  const names = new Set(clientTools.map(({ name }) => name))
  const chosen = clientTools.filter(({ name }) => typeof toolChoice === 'string' || name === toolChoice.name)
  const forced = isForced(toolChoice)
  if (forced && chosen.length === 0) {
    const tool = typeof toolChoice === 'string' ? toolChoice : toolChoice.name
    throw fail('TOOL_UNKNOWN', { tool, known: [...names].join(', ') || '(none)' })
  }
  // One of the pair is of no use without the other.
  const isPairTaken = clientTools.some(({ name }) => isOfPair(name))
  const own = forced || !agentTools ? [] : agent.filter(({ name }) => !names.has(name) && !(isPairTaken && isOfPair(name)))
  const hasPair = own.some(({ name }) => name === callName)
  const theirs = new Set(chosen.map(({ name }) => name))
  return {
    // The same list where nothing is changed: what is made of it need not be made again.
    specs: own.length === agent.length && chosen.length === 0 ? agent : [...own, ...chosen],
    own: new Set(own.map(({ name }) => name)),
    reachable: hasPair ? without(reachable, names) : new Set(),
    ...{ theirs, forced },
  }
}

/** Mostly nothing is taken away, and there is nothing to copy. */
function without(reachable: ReadonlySet<string>, names: ReadonlySet<string>): ReadonlySet<string> {
  return names.size === 0 ? reachable : new Set([...reachable].filter((name) => !names.has(name)))
}

const isForced = (choice: ToolChoice): boolean => choice === 'required' || typeof choice !== 'string'

/** Says to the model which tools run where: the caller's files are not those of the agent's workspace. */
export function describeTools({ own, theirs }: OfferedTools, workspace: string): string {
  if (own.size === 0 || theirs.size === 0) return ''
  const names = [...theirs].join(', ')
  return `These tools belong to the program that asks, and run where it runs: ${names}. Use them for its files and commands. The other tools run in ${nameFolder(workspace)} on the machine of the agent.`
}
