import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import stringWidth from 'fast-string-width'
import { describe, expect, test } from 'vitest'
import { createMarkdownStream } from './markdown-stream.ts'

const folder = join(import.meta.dirname, 'fixtures')
const texts = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)

interface Look {
  readonly columns?: number
  readonly colour?: boolean
  /** How many characters the next piece has. */
  readonly next?: () => number
  readonly onTail?: (tail: readonly string[]) => void
}

function linesOf(text: string, { columns = 60, colour = false, next = () => text.length, onTail }: Look = {}): readonly string[] {
  const stream = createMarkdownStream({ columns: () => columns, colour })
  const lines: string[] = []
  for (let at = 0; at < text.length; ) {
    const length = next()
    lines.push(...stream.push(text.slice(at, at + length)))
    at += length
    onTail?.(stream.tail())
  }
  return [...lines, ...stream.end()]
}

/** Pieces of 1 to 40 characters, the same for the same seed. */
function cuts(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return 1 + (state % 40)
  }
}

describe.each(texts)('%s', (name, text) => {
  test.each([40, 80])('looks as it should in %d columns', async (columns) => {
    const shown = linesOf(text, { columns }).join('\n')
    await expect(`${shown}\n`).toMatchFileSnapshot(join(folder, name.replace('.md', `.${columns}.txt`)))
  })

  test('has colours', async () => {
    const shown = linesOf(text, { colour: true }).join('\n').replaceAll('\u001b', '␛')
    await expect(`${shown}\n`).toMatchFileSnapshot(join(folder, name.replace('.md', '.colour.txt')))
  })

  test('gives the same lines wherever it is cut', () => {
    const whole = linesOf(text)
    expect(linesOf(text, { next: () => 1 })).toEqual(whole)
    for (let seed = 1; seed <= 60; seed++) expect(linesOf(text, { next: cuts(seed) })).toEqual(whole)
  })

  test('what is not finished fits the screen and is never long', () => {
    const onTail = (tail: readonly string[]): void => {
      for (const line of tail) expect(stringWidth(line)).toBeLessThanOrEqual(40)
      expect(tail.length).toBeLessThan(40)
    }
    linesOf(text, { columns: 40, next: () => 3, onTail })
  })
})

test('lines that end as on Windows look the same', () => {
  const text = readFileSync(join(folder, 'everything.md'), 'utf8')
  expect(linesOf(text.replaceAll('\n', '\r\n'), { next: () => 1 })).toEqual(linesOf(text))
})

test('an answer of one endless line is finished part by part', () => {
  const text = 'Words **in bold** and `code` go on and on without any end of the line. '.repeat(200)
  const stream = createMarkdownStream({ columns: () => 60, colour: false })
  let finished = 0
  for (const word of text.split(/(?<= )/)) {
    finished += stream.push(word).length
    expect(stream.tail().length).toBeLessThan(10)
  }
  expect(finished).toBeGreaterThan(200)
  expect([...linesOf(text)].join(' ')).toBe(text.replaceAll(/\*\*/g, '').trim())
})

test('a table of hundreds of rows is finished part by part, with the widths of its first rows', () => {
  const rows = Array.from({ length: 300 }, (_, index) => `| ${index} | ${'x'.repeat(index % 30)} |`)
  const lines = linesOf(`| a | b |\n|---|---|\n${rows.join('\n')}\n`, { columns: 30 })
  expect(lines.filter((line) => line.includes('│')).length).toBeGreaterThanOrEqual(301)
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(30)
})

test('lines of code are finished one by one, and keep their length', () => {
  const stream = createMarkdownStream({ columns: () => 20, colour: false })
  const long = 'x'.repeat(300)
  expect(stream.push(`\`\`\`\nfirst\n${long}\n`)).toEqual(['──', 'first', long])
  expect(stream.push('last')).toEqual([])
  expect(stream.tail()).toEqual(['last'])
  expect(stream.end()).toEqual(['last', '──'])
})

test('a mark that is still open is closed in what is not finished', () => {
  const stream = createMarkdownStream({ columns: () => 40, colour: true })
  stream.push('some **bold te')
  expect(stream.tail()).toEqual(['some \u001b[1mbold te\u001b[0m'])
  stream.push('xt** and `co')
  expect(stream.tail()).toEqual(['some \u001b[1mbold text\u001b[0m and \u001b[36mco\u001b[0m'])
})

test.each(['[', '>', '> - ', '`', '*_', '|', '#', '- [ ] ', '<a ', '1. ', '\\', '\n    '])(
  '%j a thousand times over is shown and ends',
  (sign) => {
    const text = `${sign.repeat(3_000)}x`
    expect(linesOf(text, { next: () => 700 })).toEqual(linesOf(text))
  },
)

test('after its end another text begins as the first did', () => {
  const stream = createMarkdownStream({ columns: () => 40, colour: false })
  stream.push('- item\n\n  more')
  stream.end()
  expect([...stream.push('  text\n\n'), ...stream.end()]).toEqual(['text'])
})
