import { createRandom } from '../random.ts'

/** A share of the list, at least one of it, in its order; a seed chooses always the same. */
export function chooseShare<T>(list: readonly T[], share: number, seed: number): readonly T[] {
  const random = createRandom(seed)
  const drawn = list.map((one, index) => ({ one, index, lot: random.next() })).sort((a, b) => a.lot - b.lot)
  return drawn
    .slice(0, Math.max(1, Math.ceil(list.length * share)))
    .sort((a, b) => a.index - b.index)
    .map(({ one }) => one)
}
