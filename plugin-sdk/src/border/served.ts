import type { Call } from '../contract/wire.ts'

/** What the other side may ask of this one; `to` is a name that was handed over. */
export interface Served {
  /** What it answers, or a promise of it. */
  call(to: string, args: readonly unknown[], call: Call): unknown
  note(to: string, args: readonly unknown[]): void
  stream(to: string, args: readonly unknown[], call: Call): AsyncIterable<unknown>
}

/** How many items may be on their way to a reader that does not take them. */
export const credit = 256
/** How much of them, where they are large; one more may be begun while there is room. */
export const creditSize = 1024 * 1024

/** About what an item needs, in characters and bytes. */
export function sizeOf(item: unknown): number {
  if (typeof item === 'string') return item.length
  if (typeof item !== 'object' || item === null) return 0
  if (item instanceof Uint8Array) return item.length
  let size = 0
  for (const key of Object.keys(item)) size += sizeOf((item as Record<string, unknown>)[key])
  return size
}
