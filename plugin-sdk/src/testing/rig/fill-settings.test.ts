import { expect, test } from 'vitest'
import { manifestSchema } from '../../kinds/manifest.ts'
import { fillSettings } from './fill-settings.ts'

const part = { id: 'dice', label: 'Dice' }
const schemaOf = (properties: object): Record<string, unknown> => ({ type: 'object', properties })
const manifest = manifestSchema.parse({
  ...{ manifestVersion: 1, id: 'toolset-dice', name: 'Dice', description: 'd', version: '1.0.0', license: 'MIT' },
  api: { toolset: 1, hooks: 1, platform: 1 },
  configSchema: schemaOf({ shared: { type: 'string', default: 'all' } }),
  contributes: {
    toolsets: [
      {
        ...part,
        entry: 'dist/toolset.dice.js',
        tools: [{ name: 'roll', description: 'd', parameters: {}, effect: 'none' }],
        configSchema: schemaOf({
          sides: { type: 'integer', default: 6 },
          names: { type: 'array', items: schemaOf({ loud: { type: 'boolean', default: false } }), default: [] },
          deep: { ...schemaOf({ a: { type: 'string', default: 'x' }, b: { type: 'string' } }), default: {} },
          wish: { type: 'string' },
        }),
      },
    ],
    hooks: [{ ...part, entry: 'dist/hooks.dice.js', hooks: [{ name: 'session.end' }] }],
    platforms: [{ ...part, entry: 'dist/platform.dice.js', door: 'request', reach: 'owner', capabilities: {}, limits: {} }],
  },
})
const fill = (kind: 'toolset' | 'hooks' | 'platform', config: unknown): unknown =>
  fillSettings({ kind, manifest, contribution: 'dice' }, config)

test('defaults are filled in, deep inside too, and what is given stays', () => {
  expect(fill('toolset', {})).toEqual({ sides: 6, names: [], deep: { a: 'x' } })
  expect(fill('toolset', { sides: 20, names: [{}], deep: { a: 'y' }, wish: 'z' })).toEqual({
    ...{ sides: 20, wish: 'z' },
    names: [{ loud: false }],
    deep: { a: 'y' },
  })
})

test('what has no settings has those of the plugin, but for a platform', () => {
  expect(fill('hooks', {})).toEqual({ shared: 'all' })
  expect(fill('platform', {})).toEqual({})
})

test.each([['text'], [null], [[1]]])('%j, which does not fit, stays as it is', (config) => {
  expect(fill('toolset', config)).toEqual(config)
})
