// Loaded into the gateway: on SIGUSR2 its clock jumps by the milliseconds that stand in the file, as the clock of a machine does that slept.
const { readFileSync, writeFileSync } = require('node:fs')

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
// Before this is there, the signal would end the process.
writeFileSync(`${process.env.JUMP_FILE}.${process.pid}`, '')
