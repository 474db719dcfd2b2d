import { expect, test } from 'vitest'
import { findInManifest } from './find-in-manifest.ts'

const row = { since: '0.2.0', until: '1.0.0', use: 'another' }
const manifest = {
  api: { platform: 1, toolset: 2 },
  permissions: { run: { value: ['git'], reason: 'r' } },
  contributes: {
    platforms: [
      { id: 'irc', limits: { maxLength: 1 } },
      { id: 'sms', limits: {} },
    ],
    toolsets: [{ id: 'x', tools: [{ name: 'roll', effect: 'none' }, { effect: null }, {}] }],
  },
}
const find = (...fields: string[]): readonly string[] =>
  findInManifest(manifest, { contracts: [], fields: fields.map((field) => ({ ...row, field })) }).map(({ what }) => what)

test('a field is found where it is written, under the name that its author knows', () => {
  expect(find('permissions.run', 'permissions.fs')).toEqual(['permissions.run'])
  expect(find('platforms.*.limits.maxLength')).toEqual(['platforms.irc.limits.maxLength'])
  expect(find('toolsets.*.tools.*.effect')).toEqual(['toolsets.x.tools.roll.effect', 'toolsets.x.tools.1.effect'])
  expect(find('contributes', 'panels.*.id', 'api.platform.more')).toEqual([])
})

test('a version of a contract is found where the manifest was written for it', () => {
  const contracts = [1, 2].map((version) => ({ ...row, contract: 'toolset', version }))
  expect(findInManifest(manifest, { fields: [], contracts })).toMatchObject([{ ...row, what: 'version 2 of the contract toolset' }])
})

test.each([undefined, null, 'text', []])('what is no manifest has nothing: %j', (wrong) => {
  expect(findInManifest(wrong, { contracts: [], fields: [{ ...row, field: 'id' }] })).toEqual([])
})
