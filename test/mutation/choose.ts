import { createHash } from 'node:crypto'
import { isNoise } from './noise.ts'
import { type Place, readPlace } from './place.ts'
import type { Mutator, Position, SyntaxPath } from './syntax.ts'

export interface Choice {
  readonly seed: number
  /** The part of all changes that is tried, 0 to 1. */
  readonly share: number
  /** Given: the positions to which the sample is narrowed. */
  readonly only?: ReadonlySet<string> | undefined
  /** Filled while the code is read: where each chosen change is made, by its position. */
  readonly chosen: Map<string, Place>
}

/** Lets a mutator make only changes that are a rule and that the sample contains. */
export function choosing(mutator: Mutator, choice: Choice): Mutator {
  return {
    name: mutator.name,
    *mutate(path) {
      let index = 0
      for (const replacement of mutator.mutate(path)) {
        if (index === 0 && isNoise(path)) return
        const place = readPlace(path)
        if (!isInSample([choice.seed, place.where, place.original, mutator.name, index++].join('\n'), choice.share)) continue
        const position = positionOf(path)
        if (choice.only?.has(position) === false) continue
        choice.chosen.set(position, place)
        yield replacement
      }
    },
  }
}

/** The same change is in the sample of a seed wherever it moves, and a larger share contains the smaller one. */
export function isInSample(key: string, share: number): boolean {
  return createHash('sha256').update(key).digest().readUInt32BE() / 2 ** 32 < share
}

function positionOf({ node: { loc }, hub }: SyntaxPath): string {
  if (!loc) return ''
  const { start, end } = loc
  return formatPosition(hub.file.opts.filename, { start: fromOne(start), end: fromOne(end) })
}

/** Babel counts columns from zero, Stryker's results from one. */
function fromOne({ line, column }: Position): Position {
  return { line, column: column + 1 }
}

export function formatPosition(file: string, { start, end }: { readonly start: Position; readonly end: Position }): string {
  return `${file}:${start.line}:${start.column}-${end.line}:${end.column}`
}
