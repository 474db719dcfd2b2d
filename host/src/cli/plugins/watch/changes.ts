/** Changes that came while one was worked on are one more. */
export function createChanges(): { add(): void; next(): Promise<void> } {
  let waiting = false
  let wake: (() => void) | undefined
  return {
    add: () => {
      waiting = true
      wake?.()
    },
    next: async () => {
      if (!waiting) await new Promise<void>((done) => (wake = done))
      waiting = false
    },
  }
}
