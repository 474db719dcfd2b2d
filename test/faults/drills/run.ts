import type { Drill } from './drill.ts'
import { drills } from './list.ts'
import { printDrills } from './report.ts'
import { type DrillResult, runDrill } from './run-drill.ts'

/** At the same time, so that the long ones cost no more than they take. */
const atOnce = 3

/** Whatever has not begun by then is not tried; the long ones come first. */
const startWithinMs = 150_000

/** Every drill, or those whose names have one of the words in them; false when a message was lost or a drill did not end well. */
export async function runDrills({ seed, names }: { readonly seed: number; readonly names: readonly string[] }): Promise<boolean> {
  const chosen = drills.filter(({ name }) => names.length === 0 || names.some((word) => name.includes(word)))
  console.log(`${chosen.length} drills; --seed ${seed} repeats this run`)
  const results: DrillResult[] = []
  const waiting = [...chosen.entries()]
  const begin = performance.now()
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, drill] = next
      const late = performance.now() - begin > startWithinMs
      results[index] = late ? notRun(drill) : await runDrill(drill, seed + index)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return printDrills(results)
}

function notRun({ name }: Drill): DrillResult {
  const problems = ['there was no time left for it']
  return { name, detectedMs: undefined, recoveredMs: undefined, said: 1, lost: 0, doubles: 0, problems }
}
