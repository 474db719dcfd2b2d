import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The agent runs from source in a process of its own, which this bundled program cannot do itself. */
export async function runOutages({ seed, scale }: { readonly seed: number; readonly scale: number }): Promise<boolean> {
  const words = `const { runDay } = await import('./test/faults/outages/day.ts'); process.exitCode = (await runDay(${JSON.stringify({ seed, scale })})) ? 0 : 1`
  const flags = ['--conditions', 'agent-source', '--import', './test/journeys/register.mjs', '--input-type=module', '-e', words]
  const [code] = await once(spawn(process.execPath, flags, { stdio: 'inherit' }), 'exit')
  return code === 0
}
