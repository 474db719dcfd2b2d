import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { skillFileLimit } from '@agent/plugin-sdk'

export type FileRead = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string }

/** Reads a text file inside of a folder, however its path is written and wherever links lead. */
export function readInside(folder: string, file: string): FileRead {
  const wanted = join(folder, file)
  const path = wanted.startsWith(folder + sep) ? find(wanted) : wanted
  if (path === undefined) return { ok: false, problem: 'is not there' }
  if (!path.startsWith(realpathSync(folder) + sep)) return { ok: false, problem: 'lies outside of its folder' }
  const about = statSync(path)
  if (!about.isFile()) return { ok: false, problem: 'is no file' }
  if (about.size > skillFileLimit) return { ok: false, problem: `is larger than ${skillFileLimit / 1024} KiB` }
  try {
    const text = readFileSync(path, 'utf8')
    return text.includes('\0') ? { ok: false, problem: 'is no text' } : { ok: true, text }
  } catch (error) {
    return { ok: false, problem: `is not readable (${(error as NodeJS.ErrnoException).code ?? String(error)})` }
  }
}

function find(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
