import type { TurnAgents } from '#tools/tool-turn.ts'

/** The child agents of a turn, made when it wants the first: most turns want none. */
export function lazyAgents(make: () => TurnAgents): TurnAgents {
  let made: TurnAgents | undefined
  const agents = (): TurnAgents => (made ??= make())
  return {
    run: (tasks, call) => agents().run(tasks, call),
    start: (tasks) => agents().start(tasks),
    settled: async () => made?.settled(),
  }
}
