import { expect, test } from 'vitest'
import { parsePerson } from './wire.ts'

test('a person is read, whatever else the directory says', () => {
  expect(parsePerson({ id: 'ann', mail: 'ann@example.org' })).toEqual({ id: 'ann' })
})

test.each([undefined, null, {}, { id: 1 }, { id: '' }, { id: 'a'.repeat(201) }, 'text', []])('%j is nobody', (body) => {
  expect(parsePerson(body)).toBeUndefined()
})
