import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf, openPluginFolder, platformOf, toolsetOf } from '../testing/plugin-folder.ts'
import { type AnyContribution, createCatalog, hasCode, type Listed, listedOf } from './catalog.ts'
import { readContributionConfig } from './contribution-config.ts'
import type { SettingsProblem } from './switches.ts'

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
  expect(without.plugin('b-middle')?.reason?.text).toContain('c-base, which is off')
  expect(without.of('toolset').map(({ id }) => id)).toEqual(['d'])
  folder.add('bundled', { id: 'e-alone', requires: ['f-nowhere'], contributes: toolsetOf('e') as never })
  expect((await folder.load()).plugin('e-alone')?.reason?.text).toContain('f-nowhere, which is not installed')
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

test('a plugin is ready when any part of it is, whichever part that is', async () => {
  using folder = openPluginFolder()
  const platforms = ['a', 'b'].flatMap((id) => platformOf(id, { onByDefault: true }).platforms)
  folder.add('bundled', { id: 'both', contributes: { platforms } as never })
  const problem: SettingsProblem = { level: 'error', key: 'x.y', problem: 'must be a number', platform: 'a' }
  const both = (await folder.load({ problems: [problem] })).plugin('both')
  expect(both?.contributions.map(({ id, state }) => [id, state])).toEqual([
    ['a', 'blocked'],
    ['b', 'ready'],
  ])
  expect([both?.state, both?.reason]).toEqual(['ready', undefined])
})

test('of two plugins of one id the ready one is told, else the first', () => {
  const row = (state: Listed['state'], version: string): Listed => ({ ...({} as Listed), id: 'mine', state, version })
  const told = (...states: readonly Listed['state'][]): string | undefined =>
    createCatalog(
      states.map((state, at) => row(state, String(at))),
      [],
    ).plugin('mine')?.version
  expect([told('blocked', 'ready'), told('ready', 'blocked'), told('ready', 'ready'), told('blocked', 'blocked')]).toEqual([
    '1',
    '0',
    '0',
    '0',
  ])
})

test('a plugin without parts is ready', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'empty', contributes: {} })
  expect((await folder.load()).plugin('empty')).toMatchObject({ state: 'ready', reason: undefined, contributions: [] })
})

test('a link and a plugin that was dropped in by hand do not stand in for one another', async () => {
  using folder = openPluginFolder()
  const root = folder.add('local', { id: 'toolset-mine', contributes: toolsetOf('mine') as never })
  renameSync(root, join(folder.local, 'by-hand'))
  folder.link({ id: 'toolset-mine', contributes: toolsetOf('mine') as never })
  const settings = { entries: { 'toolset-mine': { enabled: true } }, deny: [] }
  const { plugins } = await folder.load({ settings })
  expect(plugins.map(({ source, shadows, reason }) => [source, shadows, reason?.code])).toEqual(
    expect.arrayContaining([
      ['local', undefined, 'duplicate-id'],
      ['link', undefined, undefined],
    ]),
  )
})

test('two links of one part block each other, and what came with agent keeps it', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'toolset-mine', contributes: toolsetOf('mine') as never })
  folder.link({ id: 'better-mine', contributes: toolsetOf('mine') as never })
  folder.link({ id: 'best-mine', contributes: toolsetOf('mine') as never })
  const catalog = await folder.load()
  expect(catalog.find('toolset', 'mine')?.plugin.manifest.id).toBe('toolset-mine')
  expect(['better-mine', 'best-mine'].map((id) => catalog.plugin(id)?.reason?.code)).toEqual(['duplicate-owner', 'duplicate-owner'])
})

test('what is off until it is wished for is switched on by its plugin', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'toolset-mine', contributes: toolsetOf('mine', { onByDefault: false }) as never })
  folder.add('bundled', { id: 'platform-open', contributes: platformOf('open') as never })
  const off = await folder.load()
  expect(off.plugin('toolset-mine')?.reason).toMatchObject({ code: 'not-enabled', fix: 'agent plugins enable toolset-mine' })
  expect(off.plugin('platform-open')?.reason).toMatchObject({ code: 'not-enabled', fix: 'agent plugins enable platform-open' })
  const entries = (enabled: boolean | undefined) => ({ settings: { entries: { 'toolset-mine': { enabled } }, deny: [] } })
  expect((await folder.load(entries(true))).of('toolset')).toHaveLength(1)
  expect((await folder.load(entries(undefined))).of('toolset')).toHaveLength(0)
})

test('a wrong setting blocks what it names and nothing else; a warning blocks nothing', async () => {
  using folder = openPluginFolder()
  for (const id of ['a', 'b']) folder.add('bundled', { id: `platform-${id}`, contributes: platformOf(id, { onByDefault: true }) as never })
  folder.add('bundled', { id: 'toolset-mine', contributes: toolsetOf('mine') as never })
  const blocked = async (...problems: readonly SettingsProblem[]): Promise<readonly string[]> =>
    (await folder.load({ problems })).plugins.filter(({ state }) => state === 'blocked').map(({ id, reason }) => `${id}: ${reason?.text}`)
  const wrong = { level: 'error', key: 'x.y', problem: 'must be a number' } as const
  expect(await blocked({ ...wrong, platform: 'a' })).toEqual([expect.stringMatching(/^platform-a: .*x\.y/)])
  expect(await blocked({ ...wrong, plugin: 'toolset-mine' })).toEqual([expect.stringMatching(/^toolset-mine: .*x\.y/)])
  expect(
    await blocked(wrong, { ...wrong, level: 'warning', platform: 'b' }, { ...wrong, level: 'warning', plugin: 'toolset-mine' }),
  ).toEqual([])
})

test('a plugin for another Node, or for no named version of a contract, says which', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'toolset-new', engines: { node: '>=99' } as never, contributes: toolsetOf('new') as never })
  folder.add('bundled', { id: 'toolset-none', api: {}, contributes: toolsetOf('none') as never })
  folder.add('bundled', { id: 'toolset-late', api: { toolset: 9 }, contributes: toolsetOf('late') as never })
  const catalog = await folder.load({ versions: { node: '20.19.0', agent: '1.0.0' } })
  const told = (id: string): string | undefined => catalog.plugin(id)?.reason?.text
  expect(told('toolset-new')).toMatch(/Node.*>=99.*20\.19\.0/)
  expect(told('toolset-none')).toMatch(/no named/)
  expect(told('toolset-late')).toMatch(/9/)
})

test('a quarantine is asked for only where a plugin has a child', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'toolset-own', contributes: toolsetOf('own') as never })
  folder.link({ id: 'toolset-mine', contributes: toolsetOf('mine') as never })
  const asked: string[] = []
  const quarantineOf = async (id: string) => void asked.push(id) as undefined
  await folder.load({ quarantineOf })
  expect(asked).toEqual(['toolset-mine'])
})

test('a conflict blocks the plugin of others and never one that came with agent; with itself, and with nobody, there is none', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'own', conflicts: ['own', 'nobody', 'mine'], contributes: toolsetOf('own') as never })
  folder.link({ id: 'mine', contributes: toolsetOf('mine') as never })
  folder.link({ id: 'other', conflicts: ['own'], contributes: toolsetOf('other') as never })
  folder.add('bundled', { id: 'first', conflicts: ['second'], contributes: toolsetOf('first') as never })
  folder.add('bundled', { id: 'second', contributes: toolsetOf('second') as never })
  const { plugins } = await folder.load()
  const reasons = Object.fromEntries(plugins.map(({ id, reason }) => [id, reason && `${reason.code} ${reason.text}`]))
  expect(reasons).toMatchObject({
    own: undefined,
    mine: expect.stringMatching(/^conflict .*own/),
    other: expect.stringMatching(/^conflict .*own/),
    first: expect.stringMatching(/^conflict .*second/),
    second: expect.stringMatching(/^conflict .*first/),
  })
})

test('three owners of one part block each other, each by the name of another one', async () => {
  using folder = openPluginFolder()
  for (const id of ['a', 'b', 'c']) folder.link({ id, contributes: toolsetOf('same') as never })
  const { plugins } = await folder.load()
  expect(
    plugins.map(({ id, reason }) => [
      id,
      reason?.code,
      /[abc](?= )|[abc]$/.exec(reason?.text.replace('toolset:same', '') ?? '')?.[0] !== id,
    ]),
  ).toEqual(['a', 'b', 'c'].map((id) => [id, 'duplicate-owner', true]))
})

test('what requires one another in a circle is blocked, and what comes after another in a circle runs', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'a', requires: ['b'], contributes: toolsetOf('a') as never })
  folder.add('bundled', { id: 'b', requires: ['a'], contributes: toolsetOf('b') as never })
  folder.add('bundled', { id: 'c', after: ['d'], contributes: toolsetOf('c') as never })
  folder.add('bundled', { id: 'd', after: ['c'], contributes: toolsetOf('d') as never })
  folder.add('bundled', { id: 'e', contributes: toolsetOf('e') as never })
  const { plugins } = await folder.load()
  const ready = plugins.filter(({ state }) => state === 'ready').map(({ id }) => id)
  expect(ready).toEqual(expect.arrayContaining(['c', 'd', 'e']))
  expect(plugins).toHaveLength(5)
})

test('what two others require is no circle', async () => {
  using folder = openPluginFolder()
  const requires = { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }
  for (const [id, needs] of Object.entries(requires)) folder.add('bundled', { id, requires: needs, contributes: toolsetOf(id) as never })
  const { plugins } = await folder.load()
  expect(plugins.map(({ id, state }) => `${id} ${state}`)).toEqual(['d ready', 'b ready', 'c ready', 'a ready'])
})

test('parts are listed by their kind with their plugin, and those that are data have no code', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { id: 'toolset-mine', contributes: toolsetOf('mine') as never })
  folder.add('bundled', { id: 'commands-mine', ...commandsOf('mine', { name: 'roll' }) })
  folder.add('bundled', { id: 'toolset-off', contributes: toolsetOf('off', { onByDefault: false }) as never })
  const catalog = await folder.load()
  expect(listedOf(catalog, 'toolset').map(({ id, state, plugin }) => [id, state, plugin.id])).toEqual([
    ['mine', 'ready', 'toolset-mine'],
    ['off', 'blocked', 'toolset-off'],
  ])
  const skill = { kind: 'skills' } as AnyContribution
  expect([...catalog.contributions(), skill].filter(hasCode).map(({ kind }) => kind)).toEqual(['commands', 'toolset'])
})
