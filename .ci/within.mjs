// within.mjs <name> <limit> <seconds>: says whether a loop kept its limit; ends with 1 where it did not.
// A machine on which an empty Node takes longer than on the one the limits were made for gets as much more, at most twice.
import { spawnSync } from 'node:child_process'

const floorMs = 30
const [, , name = '', limit = '', seconds = ''] = process.argv

const times = Array.from({ length: 9 }, () => {
  const from = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - from
}).sort((a, b) => a - b)
const [empty = floorMs] = times.slice(4)
const factor = Math.min(2, Math.max(1, empty / floorMs))
const allowed = Number(limit) * factor
const isKept = Number(seconds) <= allowed
console.log(
  `${name}: ${seconds} s, ${isKept ? 'within' : 'MORE THAN'} ${allowed.toFixed(0)} s (${limit} s × ${factor.toFixed(2)}: node -e 0 takes ${empty.toFixed(0)} ms)`,
)
if (!isKept) process.exitCode = 1
