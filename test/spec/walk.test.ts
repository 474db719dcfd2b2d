import { expect, test } from 'vitest'
import { hashRow, walkSpec } from './walk.ts'

const text = `# Title

## Things

A rule in a paragraph.

Supporting things:

- first thing
  - nested thing

| Name | Value |
|---|---|
| a | 1 |

Fields beyond these: not shown.

### Deeper

1. one
`

test('rows, bullets and rules are listed with their headings; introductions and gaps are not', () => {
  expect(walkSpec(text).map(({ section, text: row }) => `${section}: ${row}`)).toEqual([
    'Things: A rule in a paragraph.',
    'Things: first thing',
    'Things: nested thing',
    'Things: | a | 1 |',
    'Things / Deeper: one',
  ])
})

test('a hash follows the words of a row and not its spacing', () => {
  expect(hashRow('| a  | 1 |')).toBe(hashRow(' | a | 1 | '))
  expect(hashRow('| a | 1 |')).not.toBe(hashRow('| a | 2 |'))
})
