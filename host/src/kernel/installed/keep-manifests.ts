import { statSync } from 'node:fs'
import type { Clock } from '@agent/plugin-sdk'
import { type ParsedManifest, type ParseManifest, parseFile } from './manifest-file.ts'

/** A file that was written just now may be written again within one tick of the clock of its disk, and look the same. */
const youngMs = 2000

/** Reads the file of a manifest once, and again where it has changed: for a process that asks for the catalog again and again. */
export function keepManifests(clock: Pick<Clock, 'now'>): ParseManifest {
  const kept = new Map<string, { readonly print: string; readonly parsed: ParsedManifest }>()
  return async (file) => {
    const about = statSync(file, { bigint: true, throwIfNoEntry: false })
    const print = about && [about.dev, about.ino, about.size, about.mtimeNs, about.ctimeNs].join(' ')
    const before = kept.get(file)
    if (before && before.print === print) return before.parsed
    kept.delete(file)
    const parsed = await parseFile(file)
    const isYoung = about !== undefined && clock.now() - Number(about.ctimeMs) < youngMs
    if (parsed && print !== undefined && !isYoung) kept.set(file, { print, parsed })
    return parsed
  }
}
