import { expect, test } from 'vitest'
import { parsePicture, parseProblem } from './wire.ts'

test('a picture and a problem are read, whatever else the service says', () => {
  expect(parsePicture({ picture: 'AAAA', took: 3 })).toBe('AAAA')
  expect(parseProblem({ problem: 'no roses', code: 1 })).toBe('no roses')
})

test.each([undefined, null, {}, { picture: 1, problem: [] }, 'text'])('%j is no answer', (body) => {
  expect(parsePicture(body)).toBeUndefined()
  expect(parseProblem(body)).toBeUndefined()
})
