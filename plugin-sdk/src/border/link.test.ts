import { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import { maxFrameBytes } from './frame-limits.ts'
import { linkPair, type Message, pipeLink } from './link.ts'

/** A link over a pipe whose writes come back to it, and what it hears. */
function openLoop() {
  const written: Buffer[] = []
  const heard: Message[] = []
  const closed: unknown[] = []
  const pipe = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk)
      pipe.push(chunk)
      done()
    },
  })
  const link = pipeLink(pipe)
  link.start(
    (message) => heard.push(message),
    (error) => closed.push(error),
  )
  return { written, heard, closed, pipe, link }
}

const note = (v: string): Message => ({ t: 'note', to: 'n', p: { v: [v] } })
const withBytes = (...b: readonly Uint8Array[]): Message => ({ t: 'note', to: 'n', p: { v: [], b, x: 1 } })
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('what is said in one turn of the event loop is written together, and at once where that is wanted', async () => {
  const { written, heard, link } = openLoop()
  for (const text of ['one', 'two']) link.send(note(text))
  expect(written).toEqual([])
  await turn()
  expect([written.length, heard]).toEqual([1, [note('one'), note('two')]])
  link.send(note('three'))
  link.flush?.()
  expect(written).toHaveLength(2)
  await turn()
  expect([written.length, heard.at(-1)]).toEqual([2, note('three')])
})

test('much of one turn is written before it is over', () => {
  const { written, link } = openLoop()
  link.send(note('x'.repeat(60_000)))
  expect(written).toHaveLength(0)
  link.send(note('x'.repeat(6_000)))
  expect(written).toHaveLength(1)
})

test.each([
  ['short and wide', '€'.repeat(1_000)],
  ['long and wide', '€'.repeat(100_000)],
  ['with both kinds', `${'a'.repeat(2_000)}ü😀`],
])('a text crosses as it is: %s', async (_what, text) => {
  const { heard, link } = openLoop()
  link.send(note(text))
  await turn()
  expect(heard).toEqual([note(text)])
})

test('a message may have byte arrays of four megabytes, four of them at most', async () => {
  const { heard, link } = openLoop()
  const full = new Uint8Array(maxFrameBytes)
  link.send(withBytes(full, full, full, full))
  await turn()
  expect(heard).toHaveLength(1)
  expect(() => link.send(withBytes(full, full, full, full, new Uint8Array(1)))).toThrow('larger than')
  expect(() => link.send(withBytes(new Uint8Array(maxFrameBytes + 1)))).toThrow('larger than')
  await turn()
  expect(heard).toHaveLength(1)
})

test('a text counts by its bytes', () => {
  const { link } = openLoop()
  const around = JSON.stringify(note('')).length
  link.send(note('x'.repeat(maxFrameBytes - around)))
  expect(() => link.send(note('x'.repeat(maxFrameBytes - around + 1)))).toThrow('larger than')
  expect(() => link.send(note('ü'.repeat(maxFrameBytes / 2)))).toThrow('larger than')
})

test('a message may hold many values, nested as deep as values may be and a little more', async () => {
  const nested = (levels: number): Message => ({ t: 'note', to: 'n', p: { v: JSON.parse('['.repeat(levels) + ']'.repeat(levels)) } })
  const { heard, closed, link } = openLoop()
  const many: Message = { t: 'note', to: 'n', p: { v: Array(250_000).fill(1) } }
  for (const message of [many, nested(110)]) link.send(message)
  await expect.poll(() => heard).toEqual([many, nested(110)])
  link.send(nested(130))
  await expect.poll(() => closed).toMatchObject([{ code: 'BORDER_VALUE', params: { problem: 'it is nested deeper than 120 levels' } }])
})

test('the close of a link writes what was said before, and the reason of a broken one is told', async () => {
  const { written, closed, pipe, link } = openLoop()
  link.send(note('last'))
  link.close()
  await turn()
  expect([written.length, pipe.destroyed, closed]).toEqual([1, true, [undefined]])
  link.send(note('late'))
  await turn()
  expect(written).toHaveLength(1)
  const broken = openLoop()
  broken.pipe.destroy(new Error('gone'))
  await turn()
  expect(broken.closed).toEqual([new Error('gone')])
})

test('two ends in one process hear each other after the call, and both hear of the close once', async () => {
  const [one, other] = linkPair()
  const heard: unknown[] = []
  one.start(
    (message) => heard.push(['one', message]),
    () => heard.push('one closed'),
  )
  other.start(
    (message) => heard.push(['other', message]),
    () => heard.push('other closed'),
  )
  one.send(note('a'))
  other.send(note('b'))
  expect(heard).toEqual([])
  await turn()
  expect(heard.splice(0)).toEqual([
    ['other', note('a')],
    ['one', note('b')],
  ])
  one.close()
  other.close()
  other.send(note('late'))
  await turn()
  expect(heard).toEqual(['one closed', 'other closed'])
})
