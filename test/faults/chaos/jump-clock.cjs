// Loaded into the gateway: on SIGUSR2 its clock jumps by the milliseconds that stand in the file, as the clock of a machine does that slept.
// Its memory is collected every few seconds.
const { readFileSync, writeFileSync } = require('node:fs')
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')

const real = Date.now.bind(Date)
let offset = 0
const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(real() + offset)
    else super(...given)
  }
  static now() {
    return real() + offset
  }
}
process.on('SIGUSR2', () => {
  offset += Number(readFileSync(process.env.JUMP_FILE, 'utf8'))
})
// What is not collected yet is no growth: how much is kept can only be seen after a collection.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
setInterval(collect, 4000).unref()
// Before this is there, the signal would end the process.
writeFileSync(`${process.env.JUMP_FILE}.${process.pid}`, '')
