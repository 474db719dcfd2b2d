import { expect, test } from 'vitest'
import { fail } from '../../contract/errors.ts'
import type { WebSource } from '../../contract/web.ts'
import type { Call } from '../../contract/wire.ts'
import { manifestSchema } from '../../kinds/manifest.ts'
import type { WebBackend } from '../../kinds/web-backend.ts'
import { openClone } from '../rig/subject.ts'
import { type WebBackendWorld, webBackendContract } from './web-backend.ts'

const capabilities = { search: true, extract: true, crawl: true }
const manifest = manifestSchema.parse({
  ...{ manifestVersion: 1, id: 'web-backend-shelf', name: 'Shelf', description: 'd', version: '1.0.0', license: 'MIT' },
  api: { 'web-backend': 1 },
  contributes: { webBackends: [{ id: 'shelf', entry: 'dist/web-backend.shelf.js', label: 'Shelf', capabilities }] },
})

const pages = ['one', 'two', 'three'].map((name) => ({ url: `https://a.example/${name}`, title: name, text: 'words' }))
const gone = (): Error => fail('PLUGIN_FAILED', { plugin: 'web-backend-shelf', during: 'reading a page', detail: 'it is not there' })
const never = ({ signal }: Call): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

const world = async (): Promise<WebBackendWorld> => ({
  ...{ config: {}, query: 'words', page: 'https://a.example/one', missing: 'https://a.example/none' },
  silent: { config: { silent: true } },
  refused: { config: { refused: true } },
  [Symbol.asyncDispose]: async () => undefined,
})

/** Keeps every rule; `change` replaces parts of it. */
const backend = (change: Partial<Record<keyof WebSource, unknown>> = {}): WebBackend<{ silent?: boolean; refused?: boolean }> => ({
  open: async ({ config }) => {
    const sound: WebSource = {
      search: async ({ most }, call) => {
        if (config.silent) return await never(call)
        if (config.refused) throw gone()
        return pages.slice(0, most).map(({ url, title }) => ({ url, title, excerpt: '' }))
      },
      extract: async (url) => {
        const page = pages.find((one) => one.url === url)
        if (page) return page
        throw gone()
      },
      crawl: async ({ most }) => pages.slice(0, most),
    }
    return { ...sound, ...change } as WebSource
  },
})

async function findings(entry: WebBackend<never>, openWorld = world, claimed = manifest): Promise<string[]> {
  const open = async () => openClone('web-backend', entry as WebBackend)
  const subject = { kind: 'web-backend', manifest: claimed, contribution: 'shelf', place: 'clone', open } as const
  const found: string[] = []
  for (const { rule, run } of webBackendContract({ subject, patienceMs: 500, world: openWorld })) {
    await run().catch((error: Error & { code?: string }) =>
      found.push(error.code === 'CONTRACT_BROKEN' ? rule : `${rule}: ${error.message}`),
    )
  }
  return found
}

test('a sound web backend keeps every rule', async () => {
  expect(await findings(backend())).toEqual([])
})

const page = pages[0]
test.each([
  ['more hits than asked for', backend({ crawl: async () => pages }), ['crawl']],
  ['pages of other hosts', backend({ crawl: async () => [page, { ...page, url: 'https://b.example/' }] }), ['crawl']],
  [
    'a page without text',
    backend({ extract: async (url: string) => (url.endsWith('none') ? Promise.reject(gone()) : { ...page, text: '' }) }),
    ['extract'],
  ],
  ['a missing page that is there', backend({ extract: async () => page }), ['errors']],
  [
    'a failure without a code',
    backend({ extract: async (url: string) => (url.endsWith('one') && !url.endsWith('none') ? page : Promise.reject(new Error('no'))) }),
    ['errors'],
  ],
  ['a date among the hits', backend({ crawl: async () => pages.slice(0, 2).map((one) => ({ ...one, seen: new Date() })) }), ['border']],
])('%s breaks its own rule and only that', async (_name, entry, rules) => {
  expect(await findings(entry)).toEqual(rules)
})

test('what the declaration makes necessary has to be in the world', async () => {
  const bare = async (): Promise<WebBackendWorld> =>
    ({ ...(await world()), silent: undefined, missing: undefined, refused: undefined }) as never
  expect(await findings(backend(), bare)).toEqual(['errors'])
  const permissions = { net: { value: 'any' as const, reason: 'Asks it.' } }
  expect(await findings(backend(), bare, { ...manifest, permissions })).toEqual(['errors', 'abort'])
})

test('a declared method that is missing breaks the shape', async () => {
  expect(await findings(backend({ crawl: undefined }))).toContain('shape')
})
