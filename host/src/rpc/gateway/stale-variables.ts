import type { Environment } from '#config/environment/environment.ts'
import { needsRestart } from '#config/takes-effect.ts'

/** What a gateway says of the variables that it runs with. */
export interface RunningVariables {
  readonly boot: string
  /** Absent where an older version runs. */
  readonly environmentPrints?: Readonly<Record<string, string>>
}

/** Names whose value in `.env` is another one than the gateway runs with. */
export function listStale(environment: Pick<Environment, 'printsOfFile'>, running: RunningVariables): readonly string[] {
  const { boot, environmentPrints: theirs } = running
  if (theirs === undefined) return []
  const ours = environment.printsOfFile(boot)
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter((name) => ours[name] !== theirs[name]).sort()
}

/** The command that brings them into the gateway. */
export function wayToRead(names: readonly string[]): string {
  return names.some(needsRestart) ? 'agent gateway restart' : 'agent gateway reload'
}
