import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf, openPluginFolder, platformOf, toolsetOf } from '../testing/plugin-folder.ts'
import { readContributionConfig } from './contribution-config.ts'

test('manifests are read from all places; ready parts are handed out by kind and found by id', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'platform-note', contributes: platformOf('note', { onByDefault: true }) as never })
  const root = folder.add('local', { id: 'toolset-mine', contributes: toolsetOf('mine') as never })
  folder.add('bundled', {
    id: 'provider-near',
    contributes: { providers: [{ id: 'near', label: 'Near', auth: 'none', protocol: 'openai-chat' }] },
  })
  const catalog = await folder.load({ settings: { entries: { 'toolset-mine': { enabled: true } }, deny: [] } })
  expect(catalog.of('platform').map(({ id }) => id)).toEqual(['note'])
  expect(catalog.of('provider').map(({ id }) => id)).toEqual(['near'])
  expect(catalog.find('toolset', 'mine')).toMatchObject({ kind: 'toolset', plugin: { source: 'local', root } })
  expect(catalog.find('toolset', 'note')).toBeUndefined()
  expect(catalog.plugins.every(({ state, reason }) => state === 'ready' && reason === undefined)).toBe(true)
})

test('no folder at all is an empty catalog', async () => {
  using folder = openPluginFolder()
  expect((await folder.load({ bundled: join(folder.root, 'a'), local: join(folder.root, 'b') })).plugins).toEqual([])
})

test('an unknown field is a warning, an unknown kind of contribution leaves the other parts alone', async () => {
  using folder = openPluginFolder()
  const contributes = { ...toolsetOf('mine'), holograms: [{ id: 'h1' }] }
  folder.add('bundled', { id: 'toolset-mine', contributes: contributes as never, sparkle: true } as never)
  const catalog = await folder.load()
  expect(catalog.plugin('toolset-mine')).toMatchObject({
    state: 'ready',
    kinds: ['toolset', 'holograms'],
    warnings: ['the manifest has an unknown field "sparkle"'],
  })
  expect(catalog.plugin('toolset-mine')?.contributions[1]).toMatchObject({
    id: 'h1',
    state: 'blocked',
    reason: { code: 'unsupported-kind' },
  })
  expect(catalog.find('toolset', 'mine')).toBeDefined()
})

test('a part of an unknown kind is listed by its id, by ? where it has none', async () => {
  using folder = openPluginFolder()
  const contributes = { ...toolsetOf('mine'), holograms: [{ id: 'h1' }, {}, null, 'h2'], moods: { id: 'm' } }
  folder.add('bundled', { id: 'toolset-mine', contributes: contributes as never })
  const parts = (await folder.load()).plugin('toolset-mine')?.contributions.map(({ kind, id }) => `${kind} ${id}`)
  expect(parts).toEqual(['toolset mine', 'holograms h1', 'holograms ?', 'holograms ?', 'holograms ?', 'moods ?'])
})

test('a name or alias of an own command, or of an earlier plugin, is kept; the other parts of the plugin run', async () => {
  using folder = openPluginFolder()
  const { contributes } = commandsOf('mine', { name: 'fresh', aliases: ['reset'] })
  folder.link({
    id: 'commands-a',
    api: { commands: 1, toolset: 1 },
    contributes: { ...(contributes as object), ...toolsetOf('mine') } as never,
  })
  folder.link({ id: 'commands-b', ...commandsOf('b', { name: 'fresh' }) })
  folder.link({ id: 'commands-c', ...commandsOf('c', { name: 'roll', aliases: ['fresh'] }) })
  const catalog = await folder.load({ ownCommands: ['new', 'reset'] })
  expect(catalog.plugin('commands-a')).toMatchObject({
    state: 'ready',
    contributions: [{ state: 'ready' }, { reason: { code: 'command-taken' } }],
  })
  expect(catalog.plugin('commands-a')?.contributions[1]?.reason?.text).toBe('/reset is a command of agent already')
  expect(catalog.find('commands', 'b')).toBeDefined()
  expect(catalog.plugin('commands-c')?.reason?.text).toBe('/fresh is a command of commands-b already')
})

test('a platform runs when its required variables are there, when it is on by default, or when it is wished; false always wins', async () => {
  using folder = openPluginFolder()
  const env = [
    { name: 'NOTE_TOKEN', secret: true, required: true, prompt: 'Token' },
    { name: 'NOTE_NICK', secret: false, required: false, prompt: 'Nick' },
  ]
  folder.add('bundled', { id: 'platform-note', contributes: platformOf('note', { env: ['NOTE_TOKEN', 'NOTE_NICK'] }) as never, env })
  folder.add('bundled', { id: 'platform-open', contributes: platformOf('open') as never })
  const ids = async (options: Parameters<typeof folder.load>[0]) => (await folder.load(options)).of('platform').map(({ id }) => id)
  expect(await ids({})).toEqual([])
  expect(await ids({ hasEnvironment: (name) => name === 'NOTE_TOKEN' })).toEqual(['note'])
  expect(await ids({ hasEnvironment: () => true, platforms: { note: { enabled: false } } })).toEqual([])
  expect(await ids({ platforms: { note: { enabled: true } } })).toEqual([])
  expect(await ids({ platforms: { open: { enabled: true } } })).toEqual(['open'])
  expect(await ids({ settings: { entries: { 'platform-open': { enabled: true } }, deny: [] } })).toEqual(['open'])
})

test('a development link stands in for the bundled plugin of its id, and both rows say so', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'toolset-mine', version: '1.0.0', contributes: toolsetOf('mine') as never })
  const work = folder.link({ id: 'toolset-mine', version: '2.0.0', contributes: toolsetOf('mine') as never })
  const catalog = await folder.load()
  expect(catalog.plugin('toolset-mine')).toMatchObject({ source: 'link', version: '2.0.0', root: work, state: 'ready', shadows: 'bundled' })
  expect(catalog.plugins.find(({ source }) => source === 'bundled')).toMatchObject({ state: 'blocked', reason: { code: 'shadowed' } })
  const off = await folder.load({ safeMode: true })
  expect(off.find('toolset', 'mine')?.plugin.source).toBe('bundled')
})

test('a link may also take a contribution of a bundled plugin with another id', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'toolset-mine', contributes: toolsetOf('mine') as never })
  folder.link({ id: 'better-mine', contributes: toolsetOf('mine') as never })
  const catalog = await folder.load()
  expect(catalog.find('toolset', 'mine')?.plugin.manifest.id).toBe('better-mine')
  expect(catalog.plugin('toolset-mine')?.reason?.text).toBe('the development link better-mine stands in for it')
})

test('what is required stands before what requires it, and goes down with it', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'a-top', requires: ['b-middle'], contributes: toolsetOf('a') as never })
  folder.add('bundled', { id: 'b-middle', requires: ['c-base'], contributes: toolsetOf('b') as never })
  folder.add('bundled', { id: 'c-base', after: ['d-last'], contributes: toolsetOf('c') as never })
  folder.add('bundled', { id: 'd-last', contributes: toolsetOf('d') as never })
  expect((await folder.load()).plugins.map(({ id }) => id)).toEqual(['d-last', 'c-base', 'b-middle', 'a-top'])
  const without = await folder.load({ settings: { entries: { 'c-base': { enabled: false } }, deny: [] } })
  expect(without.plugin('a-top')?.reason).toMatchObject({ code: 'dependency-missing', fix: 'agent plugins why b-middle' })
  expect(without.of('toolset').map(({ id }) => id)).toEqual(['d'])
})

test('settings reach the code checked and with defaults', async () => {
  using folder = openPluginFolder()
  const configSchema = {
    type: 'object',
    properties: { port: { type: 'integer', default: 6667 }, nick: { type: 'string' } },
    additionalProperties: false,
  }
  folder.add('bundled', { id: 'platform-note', contributes: platformOf('note', { onByDefault: true, configSchema }) as never })
  folder.add('bundled', { id: 'toolset-mine', contributes: toolsetOf('mine', { configSchema }) as never })
  const catalog = await folder.load({
    platforms: { note: { extra: { nick: 'bot' } } },
    settings: { entries: { 'toolset-mine': { config: { port: 1 } } }, deny: [] },
  })
  const [note, mine] = [catalog.find('platform', 'note'), catalog.find('toolset', 'mine')]
  expect(note && (await readContributionConfig(note))).toEqual({ port: 6667, nick: 'bot' })
  expect(mine && (await readContributionConfig(mine))).toEqual({ port: 1 })
})

test('what the lock names is read from the store: off until it is switched on, and replaced by a development link', async () => {
  using folder = openPluginFolder()
  const mine = { id: 'toolset-mine', contributes: toolsetOf('mine') as never }
  const root = folder.install(mine)
  folder.write(join(folder.home, 'plugins', 'store', 'toolset-stray', '1.0.0-00000000', 'agent.plugin.json'), '{')
  expect((await folder.load()).plugins).toMatchObject([{ id: 'toolset-mine', source: 'installed', root, reason: { code: 'not-enabled' } }])
  const settings = { entries: { 'toolset-mine': { enabled: true } }, deny: [] }
  expect((await folder.load({ settings })).find('toolset', 'mine')?.plugin.source).toBe('installed')
  folder.link(mine)
  const linked = await folder.load({ settings })
  expect(linked.plugin('toolset-mine')).toMatchObject({ source: 'link', state: 'ready' })
  expect(linked.plugins.find(({ source }) => source === 'installed')?.reason?.code).toBe('shadowed')
})

test('a plugin of others takes nothing from what came with agent, and switches none of it off', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'toolset-mine', contributes: toolsetOf('mine') as never })
  folder.add('bundled', { id: 'toolset-calm', contributes: toolsetOf('calm') as never })
  folder.add('local', { id: 'greedy', contributes: toolsetOf('mine') as never })
  folder.add('local', { id: 'hostile', conflicts: ['toolset-calm'], contributes: toolsetOf('hostile') as never })
  const entries = { greedy: { enabled: true }, hostile: { enabled: true } }
  const catalog = await folder.load({ settings: { entries, deny: [] } })
  expect(catalog.of('toolset').map(({ plugin }) => plugin.manifest.id)).toEqual(['toolset-calm', 'toolset-mine'])
  expect(catalog.plugin('greedy')?.reason).toMatchObject({ code: 'duplicate-owner', text: 'toolset-mine has toolset:mine too' })
  expect(catalog.plugin('hostile')?.reason).toMatchObject({ code: 'conflict', text: 'it cannot run beside toolset-calm' })
})
