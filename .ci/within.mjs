// within.mjs: prints the floors of now. within.mjs <name> <limit> <seconds> <floors> [<floors after it>]: says whether a loop that began with these
// floors kept its limit; ends with 1 where it did not. The limit is for a machine at rest. Where an empty Node starts, or two busy cores work, so many times slower
// than on that machine, before the loop or after it, the loop gets as much more, at most two and a half times.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What both floors take on the machine of the limits, in milliseconds. */
const usual = { empty: 30, busy: 490 }
const mostTimes = 2.5
const work = fileURLToPath(new URL('busy.mjs', import.meta.url))
const [, , name, limit = '', seconds = '', before = '', after] = process.argv

/** Milliseconds until programs that begin at once have ended, the middle of several times. */
async function timeOf(programs, rounds) {
  const times = []
  for (let round = 0; round < rounds; round++) {
    const from = performance.now()
    const ends = programs.map((words) => once(spawn(process.execPath, words, { stdio: 'ignore' }), 'close'))
    for (const [code] of await Promise.all(ends)) if (code !== 0) throw new Error(`${work} ended with ${code}`)
    times.push(performance.now() - from)
  }
  return times.sort((a, b) => a - b)[(rounds - 1) / 2] ?? 0
}

const measure = async () => ({ empty: await timeOf([['-e', '0']], 9), busy: await timeOf([[work], [work]], 3) })
const now = after === undefined ? await measure() : JSON.parse(after)
if (name === undefined) console.log(JSON.stringify(now))
else judge(name, [JSON.parse(before), now])

function judge(name, floors) {
  const [empty, busy] = [Math.max(...floors.map(({ empty }) => empty)), Math.max(...floors.map(({ busy }) => busy))]
  const factor = Math.min(mostTimes, Math.max(1, empty / usual.empty, busy / usual.busy))
  const allowed = Number(limit) * factor
  const isKept = Number(seconds) <= allowed
  console.log(
    `${name}: ${seconds} s, ${isKept ? 'within' : 'MORE THAN'} ${allowed.toFixed(0)} s (${limit} s × ${factor.toFixed(2)}: node -e 0 takes ${empty.toFixed(0)} ms, usually ${usual.empty}; work on two cores ${busy.toFixed(0)} ms, usually ${usual.busy})`,
  )
  if (!isKept) process.exitCode = 1
}
