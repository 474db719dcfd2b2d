import { manifestSchema } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { toolsetOf } from '../testing/plugin-folder.ts'
import { describePublished, readPublished, withPublished } from './published.ts'

const published = {
  plugin: 'toolset-dice',
  kinds: ['toolset'],
  api: { toolset: 1 },
  engines: { agent: '*', node: '>=20.19' },
  medal: 'silver',
  agent: '1.0.0',
}

test('what is written beside the other settings of a package is read again, and the keyword is there once', () => {
  const file = { name: 'x', keywords: ['dice'], agent: { unbundled: ['canvas'] } }
  const written = withPublished(file, published)
  expect(written).toEqual({ name: 'x', keywords: ['dice', 'agent-plugin'], agent: { unbundled: ['canvas'], published } })
  expect(withPublished(written, published)).toEqual(written)
  expect(readPublished(written)).toEqual(published)
})

test('a package that had neither settings nor keywords has both', () => {
  expect(withPublished({ name: 'x', agent: [] }, published)).toEqual({ name: 'x', keywords: ['agent-plugin'], agent: { published } })
})

test.each([
  ['nothing', undefined],
  ['a package of somebody who used npm alone', { name: 'x' }],
  ['a list', { agent: [] }],
  ['a medal that there is not', { agent: { published: { ...published, medal: 'diamond' } } }],
  ['kinds that are none', { agent: { published: { ...published, kinds: [7] } } }],
  ['no engines', { agent: { published: { ...published, engines: {} } } }],
  ['engines that are none', { agent: { published: { ...published, engines: 'all' } } }],
  ['no versions', { agent: { published: { ...published, api: undefined } } }],
  ['no kinds', { agent: { published: { ...published, kinds: 'toolset' } } }],
  ['versions that are none', { agent: { published: { ...published, api: { toolset: 'new' } } } }],
  ['a text without an end', { agent: { published: { ...published, plugin: 'x'.repeat(201) } } }],
])('%s says nothing', (_name, file) => {
  expect(readPublished(file)).toBeUndefined()
})

test('of a manifest its kinds are told, and what it wants of an agent', () => {
  const manifest = manifestSchema.parse({
    ...{ manifestVersion: 1, id: 'toolset-dice', name: 'Dice', description: 'Rolls.', version: '1.0.0', license: 'MIT' },
    ...{ api: { toolset: 1 }, engines: published.engines, contributes: toolsetOf('dice') },
  })
  expect(describePublished(manifest, 'silver', '1.0.0')).toEqual(published)
})
