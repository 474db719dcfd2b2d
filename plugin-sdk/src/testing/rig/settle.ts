import type { Control } from '../../border/entry.ts'

const idle = new Set(['PipeWrap', 'TTYWrap', 'Immediate'])

/** What keeps the plugin's process alive after an end; waits until nothing is left, or what is left stays. */
export async function settle(control: Pick<Control, 'resources'>): Promise<readonly string[]> {
  let left: readonly string[] = []
  for (let round = 0; round < 20; round += 1) {
    left = (await control.resources()).filter((name) => !idle.has(name)).sort()
    if (left.length === 0) break
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return left
}
