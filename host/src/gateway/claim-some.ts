/**
 * Claims several at once, as many as lately turned up: claims of one turn of the event loop share one flush to the disk,
 * claims that wait for each other pay for one each.
 */
export function createClaimer<T>(claim: () => Promise<T | null>): (room: number) => Promise<readonly T[]> {
  let appetite = 1
  return async (room) => {
    const asked = Math.min(appetite, room)
    const results = await Promise.allSettled(Array.from({ length: asked }, claim))
    const found: T[] = []
    for (const result of results) if (result.status === 'fulfilled' && result.value !== null) found.push(result.value)
    appetite = found.length === asked ? asked * 2 : Math.max(found.length, 1)
    // What was claimed beside a failure must be worked on; the failure comes back with the next claim.
    const failure = results.find((result) => result.status === 'rejected')
    if (failure && found.length === 0) throw failure.reason
    return found
  }
}
