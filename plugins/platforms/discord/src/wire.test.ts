import { expect, test } from 'vitest'
import { compareIds, isId, read, wire } from './wire.ts'

test('ids grow with time, whatever their length', () => {
  expect(['1000', '999', '1001', '9'].sort(compareIds)).toEqual(['9', '999', '1000', '1001'])
  expect(compareIds('7', '7')).toBe(0)
})

test('what lacks a field that is needed is not read', () => {
  for (const schema of [wire.channel, wire.interaction, wire.ready, wire.message]) {
    expect(read(schema, {})).toBeUndefined()
    expect(read(schema, undefined)).toBeUndefined()
    expect(read(schema, { id: 7 })).toBeUndefined()
  }
  expect(read(wire.problem, { message: 'No', code: 1, retry_after: 0.5, errors: {} })).toEqual({ message: 'No', code: 1, retry_after: 0.5 })
})

test('an id is a number', () => {
  expect(isId('1345678901234567890')).toBe(true)
  for (const id of ['', '-1', 'command-1', '1'.repeat(21), '1/2']) expect(isId(id)).toBe(false)
})
