// @module-tag process
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findSdk } from '../../build/find-sdk.ts'
import { checkPlugin } from './check-plugin.ts'

const examples = join(findSdk().root, 'examples')

test.each(readdirSync(examples))('the example of a %s keeps every rule, in process and in a child where it has code', async (kind) => {
  const report = await checkPlugin({ dir: join(examples, kind) })
  expect(report.rules.filter(({ status }) => status === 'failed')).toEqual([])
  expect(report).toMatchObject({ passed: true, notes: [], version: '1.0.0' })
  const places = new Set(report.rules.map(({ place }) => place))
  expect(places).toEqual(new Set(kind === 'skills' ? [undefined] : [undefined, 'in process', 'in a child']))
})

// The suites try the others where they lie. The first leaves a library outside of its bundle, the second starts a program that lies beside its contract.
test.each(['platforms/matrix', 'toolsets/mcp'])('%s keeps every rule also where it is bundled for the check', async (plugin) => {
  const report = await checkPlugin({ dir: join(findSdk().root, '..', 'plugins', plugin) })
  expect(report.rules.filter(({ status }) => status === 'failed')).toEqual([])
  expect(report.rules.some(({ rule, place }) => rule === 'border' && place === 'in a child')).toBe(true)
})
