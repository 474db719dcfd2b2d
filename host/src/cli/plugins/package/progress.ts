import { systemClock } from '#kernel/clock.ts'
import type { Cli } from '../../console/cli.ts'

/** Does something that may take long; says so on standard error once it has taken a second. */
export type ProgressStep = <T>(text: string, act: () => Promise<T>) => Promise<T>

export function createProgress({ note }: Pick<Cli, 'note'>, clock = systemClock): ProgressStep {
  return async (text, act) => {
    const done = new AbortController()
    // Called off when the step was quick.
    clock.sleep(1000, done.signal).then(
      () => note(`${text} …`),
      () => undefined,
    )
    try {
      return await act()
    } finally {
      done.abort()
    }
  }
}
