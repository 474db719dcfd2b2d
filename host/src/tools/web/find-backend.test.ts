import { expect, test } from 'vitest'
import { type FindOptions, findBackend } from './find-backend.ts'

const backend = (id: string, env: readonly object[], capabilities: object = { search: true }) => ({
  ...{ kind: 'web-backend', id, spec: { capabilities } },
  plugin: { manifest: { env } },
})
const key = { name: 'KEY', secret: true, required: true }
const address = { name: 'URL', secret: false, required: true }

const find = (ready: readonly object[], wanted = '') =>
  findBackend({ catalog: { plugins: [], of: () => ready }, wanted } as unknown as FindOptions, 'search')?.id

test('where nobody has chosen, a backend whose key is set goes before one that needs none', () => {
  const ready = [backend('free', [address]), backend('two', [key]), backend('open', []), backend('one', [key])]
  expect(find(ready)).toBe('one')
  expect(find(ready.slice(0, 1))).toBe('free')
  expect(find([backend('reader', [key], { extract: true }), backend('free', [])])).toBe('free')
  expect(find(ready, 'free')).toBe('free')
})
