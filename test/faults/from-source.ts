import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs an export of a file from source, in a process beside this bundled program, which cannot load sources one by one. True when it answered so. */
export async function runFromSource(file: string, name: string, options: object = {}): Promise<boolean> {
  const words = `const { ${name} } = await import('./${file}'); process.exitCode = (await ${name}(${JSON.stringify(options)})) ? 0 : 1`
  const flags = ['--conditions', 'agent-source', '--import', './test/journeys/register.mjs', '--input-type=module', '-e', words]
  const [code] = await once(spawn(process.execPath, flags, { stdio: 'inherit' }), 'exit')
  return code === 0
}
