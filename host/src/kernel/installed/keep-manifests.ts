import { statSync } from 'node:fs'
import type { Clock } from '@agent/plugin-sdk'
import { type ParsedManifest, type ParseManifest, parseFile } from './manifest-file.ts'

/** A file that was written just now may be written again within one tick of the clock of its disk, which is two seconds at most, and look the same. */
const youngMs = 4000

/** What files of manifests said, by their paths; `print` tells a file from what stands there later. */
export type KeptManifests = Map<string, { readonly print: string; readonly parsed: ParsedManifest }>

/** Reads the file of a manifest once, and again where it has changed: for whatever asks for the catalog again and again. `kept` grows. */
export function keepManifests(clock: Pick<Clock, 'now'>, kept: KeptManifests = new Map()): ParseManifest {
  return async (file) => {
    const print = printOf(file)
    const before = kept.get(file)
    if (before && before.print === print?.text) return before.parsed
    kept.delete(file)
    const parsed = await parseFile(file)
    // It was the same file all the time.
    if (parsed && print?.text === printOf(file)?.text && print && clock.now() - print.writtenMs >= youngMs)
      kept.set(file, { print: print.text, parsed })
    return parsed
  }
}

/** What tells a file from what stood there before, and when it was written or put there. */
function printOf(file: string): { readonly text: string; readonly writtenMs: number } | undefined {
  const about = statSync(file, { throwIfNoEntry: false })
  if (!about) return undefined
  const { dev, ino, size, mtimeMs, ctimeMs } = about
  return { text: `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`, writtenMs: Math.max(ctimeMs, mtimeMs) }
}
