import { expect, test } from 'vitest'
import { isAllowed } from './is-allowed.ts'

const admission = { users: ['s-1'], emails: ['ann@example.org'], groups: ['keepers'] }

test.each([
  ['a subject that is named', { sub: 's-1' }, true],
  ['another subject', { sub: 's-2' }, false],
  ['an address that was verified', { sub: 's-2', email: 'Ann@Example.org', email_verified: true }, true],
  ['an address that anybody could claim', { sub: 's-2', email: 'ann@example.org', email_verified: false }, false],
  ['an address of which nothing is said', { sub: 's-2', email: 'ann@example.org' }, false],
  ['a word in place of yes', { sub: 's-2', email: 'ann@example.org', email_verified: 'false' }, false],
  ['a member of a group', { sub: 's-2', groups: ['all', 'keepers'] }, true],
  ['a member of others', { sub: 's-2', groups: ['all'] }, false],
  ['a text in place of groups', { sub: 's-2', groups: 'keepers' }, false],
  ['a name that is chosen', { sub: 's-2', preferred_username: 's-1', name: 's-1' }, false],
  ['nobody at all', { sub: '' }, false],
  ['a subject that is no text', { sub: ['s-1'] }, false],
] as const)('%s', (_name, claims, expected) => {
  expect(isAllowed(admission, claims)).toBe(expected)
})

test('a star lets in everybody whom the provider knows, and nobody whom it does not', () => {
  const everybody = { users: ['*'], emails: [], groups: [] }
  expect([isAllowed(everybody, { sub: 's-9' }), isAllowed(everybody, {})]).toEqual([true, false])
})
