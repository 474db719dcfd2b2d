// Preloaded into a program under measurement: writes its peak memory to the file in BENCH_PEAK.
// Not `maxRSS`: the kernel lets a child begin with what its parent had.
const { readFileSync, writeFileSync } = require('node:fs')

process.on('exit', () => writeFileSync(process.env.BENCH_PEAK, /VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]))
