/** Where the effects of a context lie on the side of the plugin. */
export interface Scope {
  readonly signal: AbortSignal
  effect(disposer: () => unknown): void
  /** Signal first, then the effects in reverse order. Answers what went wrong meanwhile. */
  end(): Promise<readonly string[]>
}

export function openScope(): Scope {
  const controller = new AbortController()
  const disposers: (() => unknown)[] = []
  return {
    signal: controller.signal,
    effect: (disposer) => disposers.push(disposer),
    end: async () => {
      const problems: string[] = []
      controller.abort()
      for (const disposer of disposers.splice(0).reverse()) {
        try {
          await disposer()
        } catch (error) {
          problems.push(error instanceof Error ? error.message : String(error))
        }
      }
      return problems
    },
  }
}
