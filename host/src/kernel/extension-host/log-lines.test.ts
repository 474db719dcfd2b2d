import { PassThrough } from 'node:stream'
import type { Log } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { limitLog, readLines } from './log-lines.ts'

function openLog() {
  const lines: [string, unknown][] = []
  const say: Log['info'] = (message, fields) => void lines.push([message, fields])
  return { lines, log: { debug: say, info: say, warn: say, error: say } }
}

test('fifty lines of a second pass, the rest is counted', async () => {
  const clock = createFakeClock()
  const { lines, log } = openLog()
  const limited = limitLog(log, clock)
  for (let count = 0; count < 80; count++) limited.info(`line ${count}`)
  expect(lines).toHaveLength(50)
  await clock.advance(1000)
  limited.warn('later')
  expect(lines.slice(50).map(([text]) => text)).toEqual(['30 lines of one second were left out', 'later'])
})

test('a second in which all passed is not spoken of', async () => {
  const clock = createFakeClock()
  const { lines, log } = openLog()
  const limited = limitLog(log, clock)
  for (let count = 0; count < 50; count++) limited.info(`line ${count}`)
  await clock.advance(1000)
  limited.warn('later')
  expect(lines.slice(49).map(([text]) => text)).toEqual(['line 49', 'later'])
})

test('what is too long is cut, and fields that are too large or no fields are left out', () => {
  const { lines, log } = openLog()
  const limited = limitLog(log, createFakeClock())
  limited.info('x'.repeat(5000), { a: 1 })
  limited.info('large', { a: 'x'.repeat(20_000) })
  limited.info('wrong', 'x'.repeat(100) as never)
  limited.info('wrong', null as never)
  limited.info(7 as never)
  limited.info('x'.repeat(4096))
  expect(lines.map(([text, fields]) => [text.length, fields])).toEqual([
    [4097, { a: 1 }],
    [5, { fields: 'too large' }],
    [5, { fields: 'too large' }],
    [5, { fields: 'too large' }],
    [1, undefined],
    [4096, undefined],
  ])
})

test('lines come whole, whatever the pieces, and a line without an end does not fill the memory', async () => {
  const output = new PassThrough()
  const lines: string[] = []
  readLines(output, (line) => lines.push(line), createFakeClock())
  const done = new Promise((resolve) => output.once('end', resolve))
  const euro = Buffer.from('€\n')
  for (const piece of ['a\nb', 'c\n\n', euro.subarray(0, 1), euro.subarray(1), 'x'.repeat(9000), 'y'.repeat(9000)]) output.write(piece)
  output.end()
  await done
  expect(lines.map((line) => (line.length > 10 ? line.length : line))).toEqual(['a', 'bc', '€', 4096])
})

test('nothing is said after the last line that has its end', async () => {
  const output = new PassThrough()
  const lines: string[] = []
  readLines(output, (line) => lines.push(line), createFakeClock())
  const done = new Promise((resolve) => output.once('end', resolve))
  output.end('a\n')
  await done
  expect(lines).toEqual(['a'])
})

test('an output without end is read a piece at a time', async () => {
  const clock = createFakeClock()
  const output = new PassThrough({ highWaterMark: 1 })
  let read = 0
  readLines(output, () => (read += 1), clock)
  for (let count = 0; count < 10; count++) output.write('x\n'.repeat(65_536))
  await expect.poll(() => clock.sleeping()).toBe(1)
  expect(read).toBe(131_072)
  await clock.advance(250)
  await expect.poll(() => read).toBe(262_144)
  expect(clock.sleeping()).toBe(1)
  output.destroy()
  await expect.poll(() => clock.sleeping()).toBe(0)
})

test('an output that breaks says nothing of its last line', async () => {
  const output = new PassThrough()
  const lines: string[] = []
  readLines(output, (line) => lines.push(line), createFakeClock())
  output.write('whole\nhal')
  await new Promise((resolve) => setImmediate(resolve))
  output.emit('error', new Error('broken'))
  output.emit('end')
  expect(lines).toEqual(['whole'])
})
