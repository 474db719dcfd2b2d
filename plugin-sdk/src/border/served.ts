import type { Call } from '../contract/wire.ts'

/** What the other side may ask of this one; `to` is a name that was handed over. */
export interface Served {
  call(to: string, args: readonly unknown[], call: Call): Promise<unknown>
  note(to: string, args: readonly unknown[]): void
  stream(to: string, args: readonly unknown[], call: Call): AsyncIterable<unknown>
}

/** How many items may be on their way to a reader that does not take them. */
export const credit = 256
