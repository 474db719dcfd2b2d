/** How long the machine kept this process, which has nothing to do, from its turn. */
export function openMachineWatch(): Disposable & { longestMs(): number } {
  const everyMs = 10
  let last = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - everyMs)
    last = now
  }, everyMs)
  return { longestMs: () => longest, [Symbol.dispose]: () => clearInterval(timer) }
}
