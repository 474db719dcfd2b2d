/** Ids that a test can foresee: `ses_1`, `ses_2`, `trn_1`. */
export function createFakeIds(): (prefix: string) => string {
  const counts = new Map<string, number>()
  return (prefix) => {
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    return `${prefix}_${count}`
  }
}
