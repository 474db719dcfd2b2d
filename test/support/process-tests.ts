import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folders = ['plugin-sdk', 'host', 'plugins', 'test']
const skipped = new Set(['node_modules', 'dist'])

/** Test files of a checkout whose first line says that they start processes, a browser, or walk through a server; as paths with forward slashes. */
export function findTaggedTests(root: string, tag: 'process' | 'server' | 'browser'): readonly string[] {
  const walk = (folder: string): readonly string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : walk(path)
      return path.endsWith('.test.ts') && readFileSync(join(root, path), 'utf8').startsWith(`// @module-tag ${tag}\n`) ? [path] : []
    })
  return folders.flatMap(walk)
}
