import { expect, test } from 'vitest'
import { findMisfit } from './find-misfit.ts'

const versions = { agent: '1.2.0', node: '20.19.0' }
const wants = { kinds: ['toolset'], api: { toolset: 1 }, engines: { agent: '*', node: '>=20.19' } }

test('a plugin that this host serves fits, whatever it says of kinds that it does not bring', () => {
  expect(findMisfit(wants, versions)).toBeUndefined()
  expect(findMisfit({ ...wants, api: { toolset: 1, platform: 9 } }, versions)).toBeUndefined()
})

test.each([
  [{ ...wants, api: { toolset: 7 } }, 'was written for version 7 of the contract toolset, and this agent serves 1'],
  [{ ...wants, api: {} }, 'was written for no named version of the contract toolset'],
  [{ ...wants, engines: { agent: '*', node: '>=99' } }, 'wants Node >=99, and this is 20.19.0'],
  [{ ...wants, engines: { agent: '^2.0', node: '*' } }, 'wants agent ^2.0, and this is 1.2.0'],
])('another one is told why', (about, words) => {
  expect(findMisfit(about, versions)).toContain(words)
})
