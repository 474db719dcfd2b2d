import { expect, test } from 'vitest'
import { findOffer, serverOf } from './catalog.ts'

test('words are taken by an offer that takes some, and by no other', () => {
  const make = (name: string, words: readonly string[]) => serverOf(findOffer(name), { env: {}, words }, () => true)
  expect(make('filesystem', ['/srv/notes']).args?.at(-1)).toBe('/srv/notes')
  expect(make('github', []).args).toBeUndefined()
  for (const name of ['github', 'memory']) expect(() => make(name, ['--odd'])).toThrow(`${name} takes no words`)
})
