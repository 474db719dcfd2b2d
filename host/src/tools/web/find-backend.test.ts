import { expect, test } from 'vitest'
import { type FindOptions, findBackend, offersWeb } from './find-backend.ts'

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

const reads = { extract: true, crawl: true }
const bundled = (id: string, env: readonly object[], capabilities: object) => {
  const { plugin, ...rest } = backend(id, env, capabilities)
  return { ...rest, plugin: { ...plugin, source: 'bundled' } }
}
const reader = bundled('a-reader', [], reads)
const options = (ready: readonly object[], wanted: string) =>
  ({ catalog: { plugins: [], of: () => ready }, wanted }) as unknown as FindOptions

test.each([
  ['alone', [reader], '', 'a-reader'],
  ['after one with a key', [reader, backend('vendor', [key], reads)], '', 'vendor'],
  ['after one that somebody installed, whatever their names', [reader, backend('zebra', [], reads)], '', 'zebra'],
  ['for a chosen one that cannot', [reader, backend('zebra', [], reads), bundled('finds', [address], {})], 'finds', 'a-reader'],
  ['not for a chosen one that can', [reader, backend('zebra', [], reads)], 'zebra', 'zebra'],
  ['where it is chosen itself', [reader, backend('vendor', [key], reads)], 'a-reader', 'a-reader'],
])('what comes with agent and needs no account reads pages: %s', (_name, ready, wanted, found) => {
  expect(findBackend(options(ready, wanted), 'extract')?.id).toBe(found)
  expect(offersWeb(options(ready, wanted), 'crawl')).toBe(true)
})

test('words of a search go to nobody beside the chosen one, and one with a key reads for nobody else', () => {
  const finds = bundled('finds', [address], { search: true })
  expect(findBackend(options([reader, finds], 'a-reader'), 'search')).toBeUndefined()
  expect(offersWeb(options([reader, finds], 'a-reader'), 'search')).toBe(false)
  expect(findBackend(options([finds, bundled('vendor', [key], reads)], 'finds'), 'extract')).toBeUndefined()
})
