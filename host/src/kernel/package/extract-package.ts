import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { detailOf, isAgentError } from '@agent/plugin-sdk/errors'
import { readTar, type TarHeader } from './read-tar.ts'
import { refuse } from './refusals.ts'

/** More than any honest plugin has: entries are bundled. */
export const limits = { files: 5000, mebibytes: 128 } as const

/** Unpacks a package as npm does, without its first folder. What must not be in it is refused before it is written. */
export async function extractPackage(tarball: string, folder: string, name: string, signal: AbortSignal): Promise<void> {
  const inspect = createInspector(name)
  mkdirSync(folder, { recursive: true })
  try {
    for await (const { path, type, content } of readTar(tarball, inspect, signal)) {
      signal.throwIfAborted()
      if (type !== 'file') continue
      const target = join(folder, ...partsOf(path).slice(1))
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, content, { mode: 0o644, flag: 'wx' })
    }
  } catch (error) {
    if (signal.aborted || isAgentError(error)) throw error
    throw refuse(name, 'tarball-damaged', { problem: detailOf(error) }, { cause: error })
  }
}

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '' && part !== '.')

/** Judges one header after the other. */
function createInspector(name: string): (header: TarHeader) => void {
  const seen = new Set<string>()
  let bytes = 0
  return ({ path, type, target, size }) => {
    if (isOutside(path, type)) throw refuse(name, 'path-outside', { path })
    if (type === 'link') throw refuse(name, 'link-inside', { path, target })
    if (type === 'other') throw refuse(name, 'special-file', { path })
    bytes += size
    if (bytes > limits.mebibytes * 1_048_576) throw refuse(name, 'too-large', { limit: limits.mebibytes })
    if (type === 'folder') return
    const key = partsOf(path).slice(1).join('/').normalize('NFC').toLowerCase()
    if (seen.has(key)) throw refuse(name, 'path-twice', { path })
    seen.add(key)
    if (seen.size > limits.files) throw refuse(name, 'too-many-files', { limit: limits.files })
  }
}

function isOutside(path: string, type: TarHeader['type']): boolean {
  const parts = partsOf(path)
  return (
    path.startsWith('/') ||
    path.includes('\\') ||
    path.includes('\0') ||
    parts.some((part) => part === '..' || /^[a-z]:/i.test(part)) ||
    (type === 'file' && parts.length < 2)
  )
}
