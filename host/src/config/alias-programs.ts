import { closeSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { openEnvironment } from './environment/environment.ts'
import type { Home } from './home/home.ts'

type ProcessEnvironment = Readonly<Record<string, string | undefined>>

export type AliasOwner = Pick<Home, 'root' | 'profile'>

/** What we write is shorter. */
const mostBytes = 16_384

/** The lines by which a program is known as ours, and whose it is. */
export const beginningFor = ({ root, profile }: AliasOwner): string =>
  `#!/bin/sh\n# agent profile alias ${JSON.stringify([root, profile])}\n`

/** Where programs that start one profile are. */
export const aliasFolder = (environment: ProcessEnvironment): string =>
  join(openEnvironment(environment).get('HOME') || homedir(), '.local', 'bin')

/** The programs that start a profile. */
export function aliasesOf(environment: ProcessEnvironment, owner: AliasOwner): readonly string[] {
  const folder = aliasFolder(environment)
  return namesIn(folder)
    .map((name) => join(folder, name))
    .filter((file) => isAliasOf(file, owner))
}

/** Takes away the programs of a profile, or the one of this name. */
export function forgetAliases(environment: ProcessEnvironment, owner: AliasOwner, name?: string): readonly string[] {
  const files = aliasesOf(environment, owner).filter((file) => name === undefined || file === join(aliasFolder(environment), name))
  for (const file of files) rmSync(file)
  return files
}

export const isAliasOf = (file: string, owner: AliasOwner): boolean => beginningOf(file).startsWith(beginningFor(owner))

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  } catch {
    // Who has no such folder has no such program.
    return []
  }
}

/** Programs may be large: only the beginning is read. */
function beginningOf(file: string): string {
  try {
    const handle = openSync(file, 'r')
    try {
      const bytes = Buffer.alloc(mostBytes)
      return bytes.subarray(0, readSync(handle, bytes)).toString('utf8')
    } finally {
      closeSync(handle)
    }
  } catch {
    return ''
  }
}
