import type { Gateway } from '../gateway-process.ts'
import { type Stage, start } from '../stage.ts'

const refusedWithinMs = 10_000

/** A second gateway on the home is refused while the first one runs, and also while that is frozen; answers what was wrong with that. */
export async function refuseSecond(stage: Stage, first: Gateway): Promise<readonly string[]> {
  const problems = await expectRefusal(stage, first, 'beside one that runs')
  first.child.kill('SIGSTOP')
  const more = await expectRefusal(stage, first, 'beside one that is frozen')
  first.child.kill('SIGCONT')
  return [...problems, ...more]
}

async function expectRefusal(stage: Stage, first: Gateway, when: string): Promise<readonly string[]> {
  const second = start(stage)
  const killer = setTimeout(() => second.child.kill('SIGKILL'), refusedWithinMs)
  const { code, note } = await second.ended
  clearTimeout(killer)
  const said = note.includes('A gateway already runs') && note.includes(`pid ${first.child.pid}`)
  return code === 1 && said ? [] : [`A second gateway ${when} ended with ${code} instead of being refused: ${note}`]
}
