import { mkdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'

/** A folder for what a sandbox shows as it is: every sandbox has temporary folders for itself, where a checkout may lie, too. */
export function shownFolder(): string {
  const modules = resolve(import.meta.dirname, '../../node_modules')
  if (!['/tmp', '/var/tmp', tmpdir()].some((folder) => modules.startsWith(folder + sep))) return modules
  const folder = join(homedir(), '.cache', 'agent', 'tests')
  mkdirSync(folder, { recursive: true })
  return folder
}
