import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The parsers are loaded one by one from source, which this bundled program cannot do itself. */
export async function runParsers(): Promise<boolean> {
  const words = "const { runParsers } = await import('./test/faults/hostile/parsers.ts'); process.exitCode = (await runParsers()) ? 0 : 1"
  const flags = ['--conditions', 'agent-source', '--import', './test/journeys/register.mjs', '--input-type=module', '-e', words]
  const [code] = await once(spawn(process.execPath, flags, { stdio: 'inherit' }), 'exit')
  return code === 0
}
