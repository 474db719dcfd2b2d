import { type Clock, withTimeLimit } from '@agent/plugin-sdk'

/** A turn of a person with all child agents below it. */
export interface TreeOfAgents {
  /** The session of that turn. */
  readonly root: string
  /** The id of that turn: what the person refuses one of its agents is refused to all. */
  readonly turn: string
  /** How many child agents there were. */
  spawned: number
  /** Is over when the person has answered what was asked last. */
  asked: Promise<void>
}

/** So many child agents a turn of a person may have, at all depths together: each of them costs money. */
export const mostChildren = 50

/** So many work behind the turns of one conversation at the same time: nobody watches them. */
export const mostInBackground = 8

/** `spawned`: how many there were before, where the turn answers what came of one of them. */
export const createTree = (root: string, turn: string, spawned = 0): TreeOfAgents => ({ root, turn, spawned, asked: Promise.resolve() })

const longestWait = 2 ** 31 - 1

/** Lets the child agents of a tree ask one after the other: a person sees one question at a time. */
export function inTurn<Answer>(
  tree: TreeOfAgents,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const before = tree.asked
  const answer = withTimeLimit({ clock, signal, ms: longestWait, what: 'The question before' }, () => before).then(ask)
  const over = answer.then(
    () => undefined,
    () => undefined,
  )
  // One that leaves the queue does not let the next pass the one before it.
  tree.asked = Promise.all([before, over]).then(() => undefined)
  return answer
}
