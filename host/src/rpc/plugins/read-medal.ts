import { join } from 'node:path'
import type { Listed } from '#kernel/catalog/catalog.ts'
import { readPublished } from '#kernel/package/published.ts'
import { readText } from '#kernel/read-text.ts'

/** The medal with which an installed plugin was published; undefined where its package says nothing of one. */
export function readMedal({ source, root }: Pick<Listed, 'source' | 'root'>): string | undefined {
  if (source !== 'installed') return undefined
  try {
    return readPublished(JSON.parse(readText(join(root, 'package.json'), { mostBytes: 1024 * 1024 }) ?? 'null'))?.medal
  } catch {
    // A file that was changed is what `agent plugins verify` is for.
    return undefined
  }
}
