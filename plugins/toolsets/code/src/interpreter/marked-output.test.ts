import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readMarked } from './marked-output.ts'

const marks = { begin: '\0begin\0', end: '\0end\0' }
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** What is read of a script, where its output comes in these pieces. */
async function read(pieces: readonly string[]): Promise<string> {
  const stream = new PassThrough()
  const output = readMarked(stream, 100)
  stream.write('of nobody')
  await settled()
  const reading = output.expect(marks)
  for (const piece of pieces) {
    stream.write(piece)
    await settled()
  }
  return reading.close()
}

test.each([1, 2, 3, 7, 100])('a script has what comes between its marks, in pieces of %i characters', async (length) => {
  const text = `late${marks.begin}one\0en\0two\n${marks.end}nobody reads this`
  const pieces = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []
  expect(await read(pieces)).toBe('one\0en\0two\n')
})

test('what came before the end of a script that is killed is its output, also a part that looks like the mark', async () => {
  expect(await read([marks.begin, 'one', '\0en'])).toBe('one\0en')
  expect(await read(['no mark came'])).toBe('')
})

test('the next script begins with its own mark', async () => {
  const stream = new PassThrough()
  const output = readMarked(stream, 100)
  const first = output.expect(marks)
  stream.write(`${marks.begin}one${marks.end}between`)
  await first.whole
  expect(first.close()).toBe('one')
  const next = { begin: '\0begin 2\0', end: '\0end 2\0' }
  const second = output.expect(next)
  expect(second.hasBegun()).toBe(false)
  stream.write(`more${next.begin}two${marks.end}${next.end}`)
  await second.whole
  expect([second.hasBegun(), second.close(), first.close()]).toEqual([true, `two${marks.end}`, 'one'])
})
