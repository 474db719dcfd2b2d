import type { Clock } from '@agent/plugin-sdk'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { type KeptManifests, keepManifests } from '#kernel/installed/keep-manifests.ts'
import type { ParseManifest } from '#kernel/installed/manifest-file.ts'
import { manifestSchemaPrint } from '#kernel/installed/manifest-json-schema.ts'
import { readText } from '#kernel/read-text.ts'

export interface StoredManifests {
  readonly parse: ParseManifest
  /** Writes down what was read, if the next start would have to read it again. Throws where the file cannot be written. */
  save(): void
}

/** A larger one is not read and written again: nobody has so many plugins. */
const mostBytes = 64 * 1024 * 1024

/**
 * Manifests as an earlier process of this home has read and checked them. A start that finds all files as they were reads one file in place
 * of each, and checks none of them again.
 */
export function openStoredManifests(file: string, clock: Pick<Clock, 'now'>): StoredManifests {
  const stored = readStored(file)
  const kept = new Map(stored)
  const keep = keepManifests(clock, kept)
  const asked = new Set<string>()
  return {
    parse(path) {
      asked.add(path)
      return keep(path)
    },
    save() {
      const known = [...kept].filter(([path]) => asked.has(path))
      if (known.length === stored.size && known.every(([path, each]) => stored.get(path) === each)) return
      writeFileAtomic(file, toAscii(JSON.stringify({ schema: manifestSchemaPrint, manifests: known })), { mayBeLost: true })
    },
  }
}

/** V8 keeps one byte a letter then, and reads it in two thirds of the time. */
const toAscii = (json: string): string => json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Empty where there is none, and where it is damaged or of another version: then each manifest is read. */
function readStored(file: string): KeptManifests {
  try {
    const { schema, manifests } = JSON.parse(readText(file, { mostBytes }) ?? '{}') as { readonly schema?: string; readonly manifests?: [] }
    return new Map(schema === manifestSchemaPrint ? manifests : [])
  } catch {
    return new Map()
  }
}
