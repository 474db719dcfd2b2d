const sliceLength = 2_000

/** Visits a list in its order. A long one lets others have their turn after each slice. */
export async function inSlices<T>(list: readonly T[], visit: (item: T, index: number) => void): Promise<void> {
  for (const [index, item] of list.entries()) {
    if (index > 0 && index % sliceLength === 0) await new Promise(setImmediate)
    visit(item, index)
  }
}
