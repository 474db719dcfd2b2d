/** Sessions of child agents, each with the one that it worked for. */
export type ChildAgents = ReadonlyMap<string, string>

/** The sessions above one, the nearest first. What was imported may name parents in a circle. */
export function sessionsAbove(children: ChildAgents, id: string): readonly string[] {
  const above = new Set<string>()
  for (let next = children.get(id); next !== undefined && next !== id && !above.has(next); next = children.get(next)) above.add(next)
  return [...above]
}

/** The conversation that a session belongs to: where it is one of a child agent, that of its parents. */
export const rootOf = (children: ChildAgents, id: string): string => sessionsAbove(children, id).at(-1) ?? id
