import { expect, test } from 'vitest'
import { chunkText } from './chunk.ts'

const bytes = (text: string): number => Buffer.byteLength(text)

test('a text that fits is left as it is', () => {
  expect(chunkText('hello', { maxLength: 5, unit: 'characters' })).toEqual(['hello'])
  expect(chunkText('', { maxLength: 5, unit: 'characters' })).toEqual([])
})

test('parts measured in bytes stay below the limit and lose no word', () => {
  const text = Array.from({ length: 300 }, (_, index) => `wörd${index}`).join(' ')
  const parts = chunkText(text, { maxLength: 120, unit: 'bytes' })
  for (const part of parts) expect(bytes(part)).toBeLessThanOrEqual(120)
  expect(parts.join(' ')).toBe(text)
})

test('characters outside the basic plane are never cut in two', () => {
  const text = '🙂'.repeat(100)
  for (const unit of ['bytes', 'utf16', 'characters'] as const) {
    const parts = chunkText(text, { maxLength: 33, unit })
    expect(parts.join('')).toBe(text)
    for (const part of parts) expect(part).not.toMatch(/[\ud800-\udbff]$/)
  }
})

test('a part has no more lines with text than the platform takes at once', () => {
  const limits = { maxLength: 100, unit: 'characters', maxLines: 3 } as const
  expect(chunkText('1\n\n2\n3\n4\n5\n6\n7', limits)).toEqual(['1\n\n2\n3', '4\n5\n6', '7'])
  expect(chunkText('1\n2\n3', limits)).toEqual(['1\n2\n3'])
})

test('a code fence that is cut is closed and opened again with its language', () => {
  const code = Array.from({ length: 40 }, (_, index) => `const line${index} = ${index}`).join('\n')
  const parts = chunkText(`Look:\n\`\`\`ts\n${code}\n\`\`\`\nDone.`, { maxLength: 300, unit: 'characters' })
  expect(parts.length).toBeGreaterThan(2)
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(300)
    expect([...part.matchAll(/^```/gm)].length % 2).toBe(0)
  }
  expect(parts[1]).toMatch(/^```ts\n/)
})

test('a word longer than a part is cut hard', () => {
  const parts = chunkText('x'.repeat(1000), { maxLength: 100, unit: 'characters' })
  expect(parts.join('')).toBe('x'.repeat(1000))
})

const url = (length: number): string => `https://${'u'.repeat(length - 8)}`

test('a link that ends exactly at the end of a part stays there, and one that is a sign longer goes to the next', () => {
  const limits = { maxLength: 80, unit: 'characters' } as const
  const before = 'x'.repeat(34)
  for (const rest of [' and more', '\nand more', '\n\nand more']) {
    expect(chunkText(`${before} ${url(45)}${rest}`, limits)[0]).toBe(`${before} ${url(45)}`)
    expect(chunkText(`${before} ${url(46)}${rest}`, limits)).toEqual([before, expect.stringMatching(new RegExp(`^${url(46)}\\s`))])
  }
})

test.each(['https://example.test/a/long/path?with=query&and=more', '[a link](https://example.test/page)', '`some code here`'])(
  'what belongs together goes to one part: %s',
  (span) => {
    for (let before = 0; before < 70; before++) {
      const text = `${'word '.repeat(before)}${span} ${'more '.repeat(30)}`
      const parts = chunkText(text, { maxLength: 80, unit: 'characters' })
      expect(
        parts.filter((part) => part.includes(span)),
        `after ${before} words`,
      ).toHaveLength(1)
      expect(parts.join(' ').replaceAll(/\s+/g, ' ').trim()).toBe(text.trim())
      for (const part of parts) expect(part.length).toBeLessThanOrEqual(80)
    }
  },
)

// Work that grows with the square of the length would take a minute.
test.each(['[', '![[', '[a](b', '[a](', '`', 'a\n', '\n', '\u{1F468}\u200D', 'word '])(
  'a text of 200,000 characters is cut: %j again and again',
  (sign) => {
    const text = sign.repeat(200_000 / sign.length)
    for (const limits of [
      { maxLength: 400, unit: 'bytes', maxLines: 5 },
      { maxLength: 40_000, unit: 'utf16' },
    ] as const) {
      expect(chunkText(text, limits).join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
    }
  },
)

test('a character of two units counts as one, and half of one as one too', () => {
  expect(chunkText('\u{1F468}'.repeat(5), { maxLength: 5, unit: 'characters' })).toHaveLength(1)
  expect(chunkText('\u{1F468}'.repeat(6), { maxLength: 5, unit: 'characters' })).toHaveLength(2)
  expect(chunkText('\ud83d'.repeat(6), { maxLength: 5, unit: 'characters' })).toHaveLength(2)
})

test('behind a fence that is closed text is text, and one that was opened again is closed and opened at each cut', () => {
  const limits = { unit: 'characters', maxLength: 40 } as const
  const closed = chunkText('```\ncode\n```\nSome words after it that are so many that they are cut.', limits)
  expect(closed.length).toBeGreaterThan(1)
  expect(closed.slice(1).join('')).not.toContain('```')
  const again = chunkText('```\na\n```\nwords\n```js\none line of code\nanother line of code\na third one\nand a fourth one\n```', limits)
  expect(again.length).toBeGreaterThan(2)
  for (const part of again) expect(part.match(/^```/gm)?.length ?? 0).toSatisfy((fences: number) => fences % 2 === 0)
  expect(again.at(-1)).toMatch(/^```js\n/)
})

test('no part has a fence with nothing in it, wherever the cut falls', () => {
  const code = 'const a = 1\nconst b = 2'
  for (let before = 1; before < 120; before++) {
    const text = `${'x'.repeat(before)}\n\`\`\`ts\n${code}\n\`\`\`\n${'y'.repeat(60)}`
    const parts = chunkText(text, { maxLength: 100, unit: 'characters' })
    for (const part of parts) {
      expect(part, `after ${before}`).not.toMatch(/^```[^\n`]*\n+```$/m)
      expect(part.match(/^```/gm)?.length ?? 0).toSatisfy((fences: number) => fences % 2 === 0)
      expect(part.length).toBeLessThanOrEqual(100)
    }
    expect(parts.join('\n').replaceAll(/```(?:ts)?|\s/g, '')).toBe(text.replaceAll(/```(?:ts)?|\s/g, ''))
    expect(parts.join('\n')).toMatch(/```ts\nconst a/)
  }
})

test('where each line is a part, the code alone is fenced', () => {
  const limits = { maxLength: 100, unit: 'characters', maxLines: 1 } as const
  expect(chunkText('Look:\n```ts\na\n```\nDone.', limits)).toEqual(['Look:', '```ts\na\n```', 'Done.'])
})
