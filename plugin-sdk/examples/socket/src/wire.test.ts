import { expect, test } from 'vitest'
import { createLineReader, formatLine, longestLine, parseLine } from './wire.ts'

function read(...chunks: readonly (string | Buffer)[]): readonly string[] {
  const lines: string[] = []
  const reader = createLineReader((line) => lines.push(line))
  for (const chunk of chunks) reader(Buffer.from(chunk as string))
  return lines
}

test.each(['two\nlines', 'x\r\nSAY key-2 ann boo', '\\n is no line break', 'ends with \\', '  ', '', 'Grüße 你好 😀'])(
  'no text becomes more than one word of one line: %j',
  (text) => {
    const line = formatLine(['SAY', 'key-1', 'a room', text])
    expect(line).not.toMatch(/[\n\r]/)
    expect(line.split(' ')).toHaveLength(4)
    expect(parseLine(line)).toEqual(['SAY', 'key-1', 'a room', text])
  },
)

test('lines may come in any pieces', () => {
  const bytes = Buffer.from('one\ntwo é\n\nfour')
  for (let size = 1; size <= bytes.length; size += 1) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
    expect(read(...pieces)).toEqual(['one', 'two é', ''])
  }
})

test('a line that is too long is refused, whether its end has come or not', () => {
  const longest = 'x'.repeat(longestLine)
  expect(read(longest, '\n')).toEqual([longest])
  expect(() => read(`${longest}x\n`)).toThrow('longer than 4096 bytes')
  expect(() => read(longest, 'x')).toThrow('longer than 4096 bytes')
})

test('what is not UTF-8 is refused', () => {
  expect(() => read(Buffer.from([0x63, 0xe9, 10]))).toThrow('not UTF-8')
})
