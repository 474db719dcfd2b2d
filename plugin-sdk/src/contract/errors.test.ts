import { expect, test } from 'vitest'
import { fail, fromWireError, toWireError } from './errors.ts'

test('a detail that is a sentence ends with one full stop', () => {
  const undeclared = fail('PLUGIN_UNDECLARED', { plugin: 'mine', access: 'a.test', field: '"a.test" in permissions.net' })
  const failed = fail('PLUGIN_FAILED', { plugin: 'mine', during: 'its check', detail: undeclared.message })
  expect(failed.message).toMatch(/declaring it: add "a.test" in permissions.net to its manifest.$/)
  expect(failed.message).not.toContain('..')
  expect(fromWireError(toWireError(failed)).message).toBe(failed.message)
  expect(fail('INTERNAL', { detail: 'cannot read ../x ...' }).message).toContain('cannot read ../x ...')
})
