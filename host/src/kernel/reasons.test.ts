import { appendFileSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CatalogOptions, Listed } from './catalog/catalog.ts'
import { type ReasonCode, reasons } from './reasons.ts'
import { commandsOf, openPluginFolder, type PluginFolder, platformOf, toolsetOf } from './testing/plugin-folder.ts'

const id = 'toolset-mine'
const mine = { id, contributes: toolsetOf('mine') as never }
const token = { name: 'NOTE_TOKEN', secret: true, required: true, prompt: 'Token' }
const closed = { type: 'object', properties: { port: { type: 'integer' }, nick: { type: 'string' } }, additionalProperties: false }

type Changes = Partial<CatalogOptions>
interface Case {
  readonly code: ReasonCode
  /** Puts plugins into the folders. */
  readonly set: (folder: PluginFolder) => unknown
  readonly before?: Changes
  /** Which row shows it; the made-up toolset unless told. */
  readonly row?: string
  readonly text: string | RegExp
  readonly fix: string | RegExp
  /** The state of settings after the printed fix; absent where the fix is run by a shell. */
  readonly fixed?: () => Changes
}

const entries = (more: object): Changes => ({ settings: { entries: { [id]: more }, deny: [] } })
const enabled = () => entries({ enabled: true })
const off = (other: string) => (): Changes => ({ settings: { entries: { [other]: { enabled: false } }, deny: [] } })

const pack = { api: { skills: 1 }, contributes: { skills: [{ id: 'tea', path: 'skills/tea' }] } }

const cases: readonly Case[] = [
  {
    code: 'command-taken',
    set: (folder) => ['commands-a', 'commands-b'].map((each) => folder.link({ id: each, ...commandsOf(each, { name: 'roll' }) })),
    row: 'commands-b',
    text: '/roll is a command of commands-a already',
    fix: 'agent plugins disable commands-a',
    fixed: off('commands-a'),
  },
  {
    code: 'disabled',
    set: (folder) => folder.add('bundled', mine),
    before: entries({ enabled: false }),
    text: 'plugins.entries.toolset-mine.enabled is false',
    fix: 'agent plugins enable toolset-mine',
    fixed: enabled,
  },
  {
    code: 'disabled',
    row: 'platform-note',
    set: (folder) => folder.add('bundled', { id: 'platform-note', contributes: platformOf('note', { onByDefault: true }) as never }),
    before: {
      platforms: { note: { enabled: false } },
    },
    text: 'platforms.note.enabled is false',
    fix: 'agent config set platforms.note.enabled true',
    fixed: () => ({ platforms: { note: { enabled: true } } }),
  },
  {
    code: 'denied',
    set: (folder) => folder.add('bundled', mine),
    before: { settings: { entries: { [id]: { enabled: true } }, deny: ['other', id] } },
    text: 'plugins.deny lists it',
    fix: `agent config set plugins.deny '["other"]'`,
    fixed: () => ({ settings: { entries: {}, deny: ['other'] } }),
  },
  {
    code: 'not-enabled',
    set: (folder) => folder.add('local', mine),
    text: 'it is not switched on',
    fix: 'agent plugins enable toolset-mine',
    fixed: enabled,
  },
  {
    code: 'safe-mode',
    set: (folder) => folder.link(mine),
    before: { safeMode: true },
    text: /^safe mode runs/,
    fix: 'Run the command again without --safe-mode.',
    fixed: () => ({ safeMode: false }),
  },
  {
    code: 'manifest-invalid',
    row: 'toolset-broken',
    set: (folder) => folder.write(join(folder.local, 'toolset-broken', 'agent.plugin.json'), '{"id": "toolset-broken",'),
    text: /it is not valid JSON/,
    fix: /^Correct the text in .*toolset-broken\/agent.plugin.json, or set it aside: /,
  },
  {
    code: 'manifest-invalid',
    set: (folder) => folder.add('local', { ...mine, version: 3 } as never),
    text: 'its manifest is wrong: version must be a string, not a number',
    fix: /^Correct version in .*, or set it aside: mv /,
  },
  {
    code: 'path-outside',
    set(folder) {
      const root = folder.add('local', mine)
      folder.write(join(folder.root, 'elsewhere.js'), '')
      folder.write(join(root, 'dist', 'other.js'), '')
      symlinkSync(join(folder.root, 'elsewhere.js'), join(root, 'dist', 'toolset.js'))
    },
    before: enabled(),
    text: 'dist/toolset.js lies outside of its folder',
    fix: /^Replace the link dist\/toolset.js by a file inside /,
  },
  {
    code: 'config-invalid',
    set: (folder) => folder.add('bundled', { ...mine, configSchema: closed }),
    before: entries({ config: { port: 'x' } }),
    text: 'plugins.entries.toolset-mine.config.port must be a number, not a string',
    fix: 'agent config unset plugins.entries.toolset-mine.config.port',
    fixed: () => entries({ config: {} }),
  },
  {
    code: 'config-invalid',
    set: (folder) => folder.add('bundled', { ...mine, configSchema: { ...closed, required: ['nick'] } }),
    text: 'plugins.entries.toolset-mine.config.nick is missing',
    fix: 'agent config set plugins.entries.toolset-mine.config.nick VALUE',
    fixed: () => entries({ config: { nick: 'VALUE' } }),
  },
  {
    code: 'config-invalid',
    set: (folder) => folder.add('bundled', mine),
    before: {
      problems: [{ level: 'error', key: 'plugins.entries.toolset-mine.enabled', problem: 'must be true or false', plugin: id }],
    },
    text: 'plugins.entries.toolset-mine.enabled must be true or false',
    fix: 'agent config unset plugins.entries.toolset-mine.enabled',
    fixed: () => ({ problems: [] }),
  },
  {
    code: 'env-missing',
    row: 'platform-note',
    set: (folder) =>
      folder.add('bundled', {
        id: 'platform-note',
        env: [token],
        contributes: platformOf('note', { env: ['NOTE_TOKEN'] }) as never,
      }),
    text: 'NOTE_TOKEN is not set',
    fix: /^Put NOTE_TOKEN=… into .*\/home\/\.env\.$/,
    fixed: () => ({ hasEnvironment: (name) => name === 'NOTE_TOKEN' }),
  },
  {
    code: 'engine-mismatch',
    set: (folder) => folder.add('bundled', { ...mine, engines: { agent: '^2.0' } }),
    text: 'it needs agent ^2.0; this is 1.4.0',
    fix: 'Install agent ^2.0, or give up the plugin: agent plugins disable toolset-mine',
    fixed: () => ({ versions: { agent: '2.1.0' } }),
  },
  {
    code: 'api-mismatch',
    set: (folder) => folder.add('bundled', { ...mine, api: { toolset: 9 } }),
    text: 'it was written for version 9 of the toolset contract; this host serves 1',
    fix: /whose api.toolset in .* is served here/,
  },
  {
    code: 'dependency-missing',
    set: (folder) => folder.add('bundled', { ...mine, requires: ['toolset-base'] }),
    text: 'it requires toolset-base, which is not installed',
    fix: 'agent plugins why toolset-base',
  },
  {
    code: 'dependency-cycle',
    set(folder) {
      folder.add('bundled', { ...mine, requires: ['toolset-other'] })
      folder.add('bundled', { id: 'toolset-other', requires: [id], contributes: toolsetOf('other') as never })
    },
    text: 'the plugins require each other in a circle: toolset-mine → toolset-other → toolset-mine',
    fix: 'agent plugins disable toolset-mine',
  },
  {
    code: 'conflict',
    set(folder) {
      folder.add('bundled', mine)
      folder.add('bundled', { id: 'toolset-other', conflicts: [id], contributes: toolsetOf('other') as never })
    },
    text: 'it cannot run beside toolset-other',
    fix: 'agent plugins disable toolset-other',
    fixed: off('toolset-other'),
  },
  {
    code: 'duplicate-owner',
    set(folder) {
      folder.add('bundled', mine)
      folder.add('bundled', { id: 'toolset-other', contributes: toolsetOf('mine') as never })
    },
    text: 'toolset-other has toolset:mine too',
    fix: 'agent plugins disable toolset-other',
    fixed: off('toolset-other'),
  },
  {
    code: 'duplicate-id',
    row: 'local',
    set: (folder) => [folder.add('bundled', mine), folder.add('local', mine)],
    before: enabled(),
    text: /install\/plugins\/x\/toolset-mine is a plugin named toolset-mine already$/,
    fix: /^mv '.*' '.*\.off'$/,
  },
  {
    code: 'shadowed',
    row: 'bundled',
    set: (folder) => [folder.add('bundled', mine), folder.link({ ...mine, id: 'better-mine' })],
    text: 'the development link better-mine stands in for it',
    fix: 'agent plugins disable better-mine',
    fixed: off('better-mine'),
  },
  {
    code: 'sandbox-missing',
    set: (folder) => folder.add('bundled', mine),
    before: { ...entries({ isolation: 'process', sandbox: 'bwrap' }), hasSandbox: () => false },
    text: 'it is to run in a sandbox, and there is no bwrap on this machine',
    fix: 'Install bubblewrap, or do without: agent config set plugins.entries.toolset-mine.sandbox off',
    fixed: () => entries({ isolation: 'process' }),
  },
  {
    code: 'quarantined',
    set: (folder) => folder.add('local', mine),
    before: { ...enabled(), quarantineOf: async () => ({ since: 0, faults: 5, detail: 'its process ended with code 3' }) },
    text: 'it ended its process 5 times within ten minutes, at last because its process ended with code 3',
    fix: 'agent plugins enable toolset-mine',
    fixed: () => ({ quarantineOf: async () => undefined }),
  },
  ...(['blocked', 'withdrawn'] as const).map(
    (code): Case => ({
      code,
      set: (folder) => folder.install(mine),
      before: { ...enabled(), objectionTo: () => ({ type: code, catalog: 'ACME', reason: 'it loses mail' }) },
      text:
        code === 'blocked' ? 'the catalog ACME blocks it: it loses mail' : 'the catalog ACME has withdrawn version 1.0.0: it loses mail',
      fix: code === 'blocked' ? 'agent plugins remove toolset-mine' : 'agent plugins update toolset-mine',
      fixed: () => ({ objectionTo: () => undefined }),
    }),
  ),
  {
    code: 'integrity-modified',
    set: (folder) => appendFileSync(join(folder.install(mine), 'dist', 'toolset.js'), '// and more'),
    before: enabled(),
    text: /dist\/toolset\.js is not the file that was installed$/,
    fix: 'agent plugins install --frozen',
  },
  {
    code: 'store-missing',
    set: (folder) => rmSync(folder.install(mine), { recursive: true }),
    text: /store\/toolset-mine\/1\.0\.0-[0-9a-f]{8} is not there any more$/,
    fix: 'agent plugins install --frozen',
  },
  ...(
    [
      [{ version: '2.0.0' }, 'version 2.0.0 of it is not in the store, another one is'],
      [{ manifest: '0'.repeat(64) }, 'its hash of agent.plugin.json is not that of the file that was installed'],
      [{ entries: {} }, 'it has no hash of dist/toolset.js'],
      [{ surface: { contributions: [], tools: [], permissions: {}, env: [] } }, 'its surface is not what the manifest declares'],
      [{ surfaceHash: '0'.repeat(64) }, 'its surfaceHash is not that of its surface'],
      [{ consent: { hash: '0'.repeat(64), at: 'x' } }, 'nobody has agreed to what the manifest declares'],
      [{ integrity: 7 }, 'integrity is not what it should be'],
      [{ previous: {} }, 'previous.spec is missing'],
    ] as const
  ).map(
    ([change, problem]): Case => ({
      code: 'lock-mismatch',
      set(folder) {
        folder.install(mine)
        const file = join(folder.home, 'plugins', 'plugins.lock.json')
        const lock = JSON.parse(readFileSync(file, 'utf8')) as { plugins: Record<string, object> }
        lock.plugins[id] = { ...lock.plugins[id], ...change }
        folder.write(file, JSON.stringify(lock))
      },
      before: enabled(),
      text: `plugins.lock.json was changed by hand: ${problem}`,
      fix: /: agent plugins remove toolset-mine$/,
    }),
  ),
  {
    code: 'lock-damaged',
    row: 'plugins.lock.json',
    set: (folder) => [folder.install(mine), folder.write(join(folder.home, 'plugins', 'plugins.lock.json'), '{"lockVersion": 9}')],
    text: /plugins\.lock\.json cannot be read: lockVersion is 9, this version knows 1$/,
    fix: /^Restore the file, or set it aside and install again: mv '/,
  },
  {
    code: 'skill-taken',
    set: (folder) => ['skills-all', 'toolset-mine'].map((each) => folder.add('bundled', { id: each, ...pack })),
    text: 'skills-all has a skill of that name, and comes first',
    fix: 'agent plugins disable skills-all',
    fixed: off('skills-all'),
  },
  {
    code: 'skill-taken',
    set: (folder) => folder.add('bundled', { id, ...pack }),
    before: { homeSkills: async () => new Map([['tea', '/home/skills/tea']]) },
    text: '/home/skills/tea is a skill of that name, and what is in the home comes first',
    fix: 'Give the skill in /home/skills/tea another name.',
    fixed: () => ({ homeSkills: async () => new Map() }),
  },
  {
    code: 'unsupported-kind',
    set: (folder) => folder.add('bundled', { id, contributes: { holograms: [{ id: 'h1' }] } as never }),
    text: 'this version knows no holograms',
    fix: 'Update agent to a version that does.',
  },
]

function rowOf(plugins: readonly Listed[], row: string | undefined): Listed | undefined {
  return plugins.find((plugin) => plugin.id === (row ?? id) || plugin.source === row)
}

const like = (wanted: string | RegExp): unknown => (typeof wanted === 'string' ? wanted : expect.stringMatching(wanted))

test.each(cases)('$code: $text', async ({ set, before = {}, row, code, text, fix, fixed }) => {
  using folder = openPluginFolder()
  set(folder)
  const blocked = rowOf((await folder.load(before)).plugins, row)
  expect(blocked).toMatchObject({ state: 'blocked', reason: { code, text: like(text), fix: like(fix) } })
  if (fixed) expect(rowOf((await folder.load({ ...before, ...fixed() })).plugins, row)?.reason).toBeUndefined()
  const command = /mv '.*$/.exec(blocked?.reason?.fix ?? '')?.[0]
  if (command === undefined) return
  const [, from = '', to = ''] = /^mv '([^']+)' '([^']+)'$/.exec(command) ?? []
  renameSync(from, to)
  const after = (await folder.load(before)).plugins
  expect(after.some((plugin) => plugin.reason?.code === code)).toBe(false)
})

test('a requirement that is there but off is told apart from one that is not installed', async () => {
  using folder = openPluginFolder()
  folder.add('bundled', { ...mine, requires: ['toolset-base'] })
  folder.add('bundled', { id: 'toolset-base', contributes: toolsetOf('base') as never })
  const catalog = await folder.load(off('toolset-base')())
  expect(catalog.plugin(id)?.reason?.text).toBe('it requires toolset-base, which is off')
  expect(catalog.plugin('toolset-base')?.reason?.fix).toBe('agent plugins enable toolset-base')
})

test('a link that leads nowhere any more blocks itself alone', async () => {
  using folder = openPluginFolder()
  rmSync(folder.link({ ...mine, id: 'gone' }), { recursive: true })
  folder.add('bundled', mine)
  const catalog = await folder.load()
  expect(catalog.plugin('gone')).toMatchObject({ source: 'link', reason: { code: 'manifest-invalid' } })
  expect(catalog.find('toolset', 'mine')).toBeDefined()
})

test('every reason code is brought about by a test', () => {
  const activation: readonly ReasonCode[] = ['activate-timeout', 'activate-error', 'unresponsive', 'entry-shape']
  const seen = new Set([...cases.map(({ code }) => code), ...activation])
  expect(Object.keys(reasons).filter((code) => !seen.has(code as ReasonCode))).toEqual([])
})
