// within.mjs <name> <limit> <seconds>: says whether a loop kept its limit; ends with 1 where it did not.
// A machine on which two busy cores take longer for a piece of work than on the one the limits hold for gets as much more, at most twice.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** What the work takes on the machine of the limits at rest: two cores on which an empty Node takes 50 ms. */
const usualMs = 950
const work = fileURLToPath(new URL('busy.mjs', import.meta.url))
const [, , name = '', limit = '', seconds = ''] = process.argv

/** Milliseconds until both are done, begun at once. */
async function timeTwo() {
  const from = performance.now()
  const ends = [1, 2].map(() => once(spawn(process.execPath, [work], { stdio: 'ignore' }), 'close'))
  for (const [code] of await Promise.all(ends)) if (code !== 0) throw new Error(`${work} ended with ${code}`)
  return performance.now() - from
}

const times = []
for (let round = 0; round < 5; round++) times.push(await timeTwo())
const [, , middle = usualMs] = times.sort((a, b) => a - b)
const factor = Math.min(2, Math.max(1, middle / usualMs))
const allowed = Number(limit) * factor
const isKept = Number(seconds) <= allowed
console.log(
  `${name}: ${seconds} s, ${isKept ? 'within' : 'MORE THAN'} ${allowed.toFixed(0)} s (${limit} s × ${factor.toFixed(2)}: work on two of ${availableParallelism()} cores takes ${middle.toFixed(0)} ms, usually ${usualMs})`,
)
if (!isKept) process.exitCode = 1
