import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs once before tests that start processes: none of them meets a program that is older than its sources. */
export function setup(): void {
  const { status } = spawnSync(process.execPath, [join(root, 'host', 'install', 'run.mjs'), 'build'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the programs that tests start could not be built')
}
