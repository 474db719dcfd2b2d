import { manifestSchema } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { checkSettings, findMisfits } from './check-settings.ts'

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

test('what demands nothing and is not written is no misfit, on a platform either', async () => {
  const spec = { id: 'note', label: 'Note', entry: 'dist/note.js' }
  const schema = { type: 'object', properties: { nick: { type: 'string' } }, required: ['nick'], additionalProperties: false }
  const platform = { ...manifest, contributes: { ...manifest.contributes, platforms: [{ ...spec, configSchema: schema }] } } as never
  const misfits = async (platforms: Readonly<Record<string, { readonly extra?: unknown }>>): Promise<readonly string[]> =>
    (await findMisfits(platform, { platforms, plugins: { entries: {} } })).map(({ path, problem }) => `${path.join('.')}: ${problem}`)
  expect(await misfits({})).toEqual([])
  expect(await misfits({ note: {} })).toEqual([])
  expect(await misfits({ note: { extra: { nick: 3 } } })).toEqual(['platforms.note.extra.nick: must be a string, not a number'])
  expect(await misfits({ note: { extra: 'bot' } })).toEqual(['platforms.note.extra: must be an object, not a string'])
})

test('what must be there is missed also where nothing is written, unless there is a default', async () => {
  const schema = (property: object) => ({ type: 'object', properties: { nick: property }, required: ['nick'] })
  const told = async (property: object, value: unknown): Promise<string | undefined> =>
    (await checkSettings(schema(property), { key: 'platforms.note.extra', value }))?.text
  expect(await told({ type: 'string' }, undefined)).toContain('platforms.note.extra.nick')
  expect(await told({ type: 'string', default: 'bot' }, undefined)).toBeUndefined()
  expect(await told({ type: 'string' }, { nick: 'bot' })).toBeUndefined()
  expect(await checkSettings(undefined, { key: 'x', value: 3 })).toBeUndefined()
  expect((await checkSettings({ type: 'object' }, { key: 'x.y', value: 3 }))?.text).toContain('x.y must be an object')
})

test('a near name is offered for what is unknown at the top, and none where nothing is near or it lies deeper', async () => {
  expect(await misfitsOf({ zzzzzzzz: 1 })).toEqual(['plugins.entries.mine.config.zzzzzzzz: is not known here'])
  const inner = { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false }
  const deep = { ...manifest, configSchema: { type: 'object', properties: { inner }, additionalProperties: false } } as never
  const found = await findMisfits(deep, { platforms: {}, plugins: { entries: { mine: { config: { inner: { nam: 1 } } } } } })
  expect(found).toEqual([{ path: ['plugins', 'entries', 'mine', 'config', 'inner', 'nam'], problem: 'is not known here' }])
})

test('what is no object at all is one misfit, and of very many the first twenty are told', async () => {
  expect(await misfitsOf('word')).toEqual(['plugins.entries.mine.config: must be an object, not a string'])
  expect(await misfitsOf({ rooms: Array.from({ length: 30 }, (_, at) => at) })).toHaveLength(20)
})

test('a toolset has its settings from its plugin where that has no schema', async () => {
  const schema = { type: 'object', properties: { port: { type: 'number' } }, additionalProperties: false }
  const toolset = { id: 'mine', label: 'Mine', entry: 'dist/x.js', tools: [], configSchema: schema }
  const plugin = {
    ...manifest,
    configSchema: undefined,
    contributes: { ...manifest.contributes, toolsets: [{ ...toolset, configSchema: undefined }, toolset] },
  }
  const found = await findMisfits(plugin as never, { platforms: {}, plugins: { entries: { mine: { config: { port: 'x' } } } } })
  expect(found.map(({ path }) => path.at(-1))).toEqual(['port'])
})
