import { expect, test } from 'vitest'
import { fitsRange } from './version-range.ts'

test.each([
  ['1.2.3', '*', true],
  ['20.20.2', '>=20.19', true],
  ['20.18.0', '>=20.19', false],
  ['20.18.0', '>= 20.19 || ^18.1', false],
  ['18.2.0', '>=20.19 || ^18.1', true],
  ['1.9.0', '^1.2', true],
  ['2.0.0', '^1.2', false],
  ['1.1.9', '^1.2', false],
  ['0.1.5', '^0.1.2', true],
  ['0.2.0', '^0.1.2', false],
  ['1.2.9', '~1.2.3', true],
  ['1.3.0', '~1.2.3', false],
  ['1.2.3', '1.x', true],
  ['2.2.3', '1.x', false],
  ['1.2.3', '1.2.3', true],
  ['1.2.4', '1.2.3', false],
  ['1.5.0', '>=1.2 <2', true],
  ['2.0.0', '>=1.2 <2', false],
  ['1.2.9', '<=1.2', true],
  ['1.2.9', '>1.2', false],
  ['1.4.0-beta.1', '^1.2', true],
])('%s in %s: %s', (version, range, fits) => {
  expect(fitsRange(version, range)).toBe(fits)
})
