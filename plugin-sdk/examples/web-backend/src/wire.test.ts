import { expect, test } from 'vitest'
import { parseHits, parsePage } from './wire.ts'

test('hits are read, whatever else the service says', () => {
  expect(parseHits({ hits: [{ url: 'https://a.example', title: 'A', rank: 1 }], took: 3 })).toEqual([
    { url: 'https://a.example', title: 'A' },
  ])
})

test.each([undefined, null, {}, { hits: [{ url: 1 }] }, 'text'])('%j is no answer', (body) => {
  expect(parseHits(body)).toBeUndefined()
  expect(parsePage(body)).toBeUndefined()
})
