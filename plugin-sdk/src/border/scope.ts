import { detailOf, fail } from '../contract/errors.ts'

/** Where the effects of a context lie on the side of the plugin. */
export interface BorderScope {
  readonly signal: AbortSignal
  effect(disposer: () => unknown): void
  /** Signal first, then the effects in reverse order. Answers what went wrong meanwhile. */
  end(): Promise<readonly string[]>
}

/** The error names `owner` when something is set up too late. */
export function openScope(owner: string): BorderScope {
  const controller = new AbortController()
  const disposers: (() => unknown)[] = []
  return {
    signal: controller.signal,
    effect: (disposer) => {
      if (!controller.signal.aborted) return disposers.push(disposer)
      // Set up too late: it is undone at once, and its caller gets an error; a failure of the undoing concerns nobody any more.
      void Promise.resolve()
        .then(disposer)
        .catch(() => undefined)
      throw fail('PLUGIN_INACTIVE', { plugin: owner })
    },
    end: async () => {
      const problems: string[] = []
      controller.abort()
      for (const disposer of disposers.splice(0).reverse()) {
        try {
          await disposer()
        } catch (error) {
          problems.push(detailOf(error))
        }
      }
      return problems
    },
  }
}
