import { manifestSchema } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { findMisfits } from './check-settings.ts'

const manifest = manifestSchema.parse({
  ...{ manifestVersion: 1, id: 'mine', name: 'Mine', description: 'Mine', version: '1.0.0', license: 'MIT', api: {} },
  configSchema: {
    type: 'object',
    properties: {
      rooms: { type: 'array', items: { type: 'string' } },
      people: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'number' } } } },
      most: { type: 'number' },
      name: { type: 'string' },
    },
    additionalProperties: false,
  },
  contributes: {},
})

const misfitsOf = async (config: unknown): Promise<readonly string[]> => {
  const found = await findMisfits(manifest, { platforms: {}, plugins: { entries: { mine: { config } } } })
  return found.map(({ path, problem }) => `${path.join('.')}: ${problem}`)
}

test('each setting that does not fit is named, also behind one in a list', async () => {
  expect(await misfitsOf({ rooms: ['a', 7, 'b'], most: 'many', nam: 'x' })).toEqual([
    'plugins.entries.mine.config.rooms.1: must be a string, not a number',
    'plugins.entries.mine.config.most: must be a number, not a string',
    'plugins.entries.mine.config.nam: is not known here; did you mean name?',
  ])
  expect(await misfitsOf({ rooms: [1, 'a', 2, 3, 'b', 4] })).toEqual(
    [0, 2, 3, 5].map((at) => `plugins.entries.mine.config.rooms.${at}: must be a string, not a number`),
  )
  expect(await misfitsOf({ people: [{ name: 1, age: 'x' }, { age: 2 }, { age: 'y' }] })).toEqual([
    'plugins.entries.mine.config.people.0.name: must be a string, not a number',
    'plugins.entries.mine.config.people.0.age: must be a number, not a string',
    'plugins.entries.mine.config.people.2.age: must be a number, not a string',
  ])
  expect(await misfitsOf({ people: [{ age: 1 }, { age: 'x' }, { age: 2 }, { age: 3 }, { age: 'y' }, { name: 4 }] })).toEqual([
    'plugins.entries.mine.config.people.1.age: must be a number, not a string',
    'plugins.entries.mine.config.people.4.age: must be a number, not a string',
    'plugins.entries.mine.config.people.5.name: must be a string, not a number',
  ])
  expect(await misfitsOf({ rooms: [1, 'a', 2], people: [7, { age: 'x' }, 8, { name: 9 }] })).toEqual([
    'plugins.entries.mine.config.rooms.0: must be a string, not a number',
    'plugins.entries.mine.config.rooms.2: must be a string, not a number',
    'plugins.entries.mine.config.people.0: must be an object, not a number',
    'plugins.entries.mine.config.people.1.age: must be a number, not a string',
    'plugins.entries.mine.config.people.2: must be an object, not a number',
    'plugins.entries.mine.config.people.3.name: must be a string, not a number',
  ])
  expect(await misfitsOf({ rooms: ['a'], most: 3, name: 'x' })).toEqual([])
})
