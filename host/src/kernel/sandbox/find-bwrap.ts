import { existsSync } from 'node:fs'
import { join } from 'node:path'

// Not by PATH: anybody who could put a program of this name in front would take the sandbox away.
const folders = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin']

/** The sandbox program of this machine. */
export function findBwrap(): string | undefined {
  return folders.map((folder) => join(folder, 'bwrap')).find((file) => existsSync(file))
}
