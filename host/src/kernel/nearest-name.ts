/** The known name that a person most likely meant, or undefined when none is close. */
export function nearestName(wanted: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(wanted.length > shortest ? 2 : 1, Math.floor(wanted.length / 3)) + 1
  const sought = wanted.toLowerCase()
  for (const name of known) {
    const other = name.toLowerCase()
    // Each letter more or less is a change at least; most of the many names are ruled out by that.
    if (Math.abs(other.length - sought.length) >= bestDistance) continue
    const distance = editDistance(sought, other)
    if (distance < bestDistance) [best, bestDistance] = [name, distance]
  }
  return best
}

/** Two letters of so few are half of the word. */
const shortest = 4

/** Letters that are more, less or others; two that changed places count as one. */
function editDistance(left: string, right: string): number {
  let beforeThat: readonly number[] = []
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1)
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      const swapped = isSwap ? (beforeThat[column - 2] ?? 0) + 1 : replaced
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    beforeThat = previous
    previous = current
  }
  return previous[right.length] ?? 0
}
