// @module-tag process
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { diceCode, diceFiles, type InstallStage, openInstallStage } from '../../../../test/support/install-stage.ts'
import { limits } from './extract-package.ts'
import { type PackageRefusal, refusals } from './refusals.ts'

interface Case {
  readonly reason: PackageRefusal
  readonly title: string
  /** Puts a package there and gives its spec back. */
  readonly set: (stage: InstallStage) => string
  readonly text?: RegExp
}

const dice = (stage: InstallStage, more: Record<string, unknown> = {}, packageMore: Record<string, unknown> = {}): string =>
  stage.pack('dice', diceFiles(more, packageMore))
const also =
  (path: string, content = ''): ((stage: InstallStage) => string) =>
  (stage) =>
    stage.pack('dice', { ...diceFiles(), [path]: content })
const without =
  (path: string): ((stage: InstallStage) => string) =>
  (stage) => {
    const { [path]: _gone, ...files } = diceFiles()
    return stage.pack('dice', files)
  }
const inTar =
  (path: string, more: object = {}): ((stage: InstallStage) => string) =>
  (stage) =>
    stage.pack('dice', diceFiles(), [{ path, ...more }])
const code = (text: string): ((stage: InstallStage) => string) => also('dist/toolset.dice.js', text)
const noise =
  (length: number): ((stage: InstallStage) => string) =>
  (stage) => {
    const files = Object.fromEntries(Array.from({ length }, (_, index) => [`noise/${index}.txt`, '']))
    return stage.pack('dice', { ...files, ...diceFiles() })
  }

const cases: readonly Case[] = [
  {
    reason: 'path-outside',
    title: 'a path with ..',
    set: inTar('package/../../../evil.txt', { content: 'x' }),
    text: /writes outside of its folder: package\/\.\.\/\.\./,
  },
  { reason: 'path-outside', title: 'a first folder of ..', set: inTar('../evil.txt', { content: 'x' }) },
  { reason: 'path-outside', title: 'an absolute path', set: inTar('/tmp/evil.txt', { content: 'x' }) },
  {
    reason: 'path-outside',
    title: 'a long path with .. in an extended header',
    set: inTar(`package/${'a/'.repeat(60)}${'../'.repeat(70)}evil.txt`, { content: 'x' }),
  },
  { reason: 'path-outside', title: 'a path of another system', set: inTar('package\\..\\evil.txt', { content: 'x' }) },
  {
    reason: 'link-inside',
    title: 'a symbolic link out of its root',
    set: inTar('package/out', { flag: '2', target: '/etc/passwd' }),
    text: /package\/out leads to \/etc\/passwd/,
  },
  { reason: 'link-inside', title: 'a hard link out of its root', set: inTar('package/out', { flag: '1', target: '../../config.yaml' }) },
  { reason: 'special-file', title: 'a device', set: inTar('package/null', { flag: '3' }) },
  { reason: 'path-twice', title: 'one path twice', set: inTar('package/AGENT.plugin.json', { content: '{}' }) },
  { reason: 'too-many-files', title: '10,000 files', set: noise(10_000), text: new RegExp(`more than ${limits.files} files`) },
  {
    reason: 'too-large',
    title: 'a small tarball that is large when unpacked',
    set: (stage) => stage.pack('dice', { ...diceFiles(), 'zeros.bin': '\0'.repeat(limits.mebibytes * 1_048_576) }),
  },
  ...(['preinstall', 'install', 'postinstall'] as const).map(
    (name): Case => ({
      reason: 'install-script',
      title: `the script ${name}`,
      set: (stage) => dice(stage, {}, { scripts: { [name]: 'touch /tmp/evil' } }),
      text: new RegExp(`wants to run a script when it is installed \\(${name}\\)`),
    }),
  ),
  { reason: 'install-script', title: 'a recipe of node-gyp', set: also('binding.gyp', '{}') },
  {
    reason: 'install-script',
    title: 'a bundled dependency with a script',
    set: also('node_modules/x/package.json', '{"name":"x","version":"1.0.0","scripts":{"install":"x"}}'),
  },
  ...['file:../../../secrets', '../../..', 'git+https://a.example/x.git', 'https://a.example/x.tgz', 'someone/x'].map(
    (source): Case => ({
      reason: 'dependency-source',
      title: `a dependency from ${source}`,
      set: (stage) => dice(stage, {}, { dependencies: { x: source } }),
    }),
  ),
  { reason: 'native-addon', title: 'machine code', set: also('build/fast.node', 'ELF') },
  {
    reason: 'shape-mismatch',
    title: 'an undeclared tool',
    set: code(diceCode(['roll', 'format_disk'])),
    text: /the undeclared tool format_disk/,
  },
  { reason: 'shape-mismatch', title: 'a declared tool that is not there', set: code(diceCode([])), text: /lacks roll/ },
  {
    reason: 'shape-mismatch',
    title: 'an entry without what its kind is called by',
    set: code('export default {}'),
    text: /without open\(\)/,
  },
  {
    reason: 'shape-mismatch',
    title: 'an entry that reads elsewhere while it is loaded',
    set: code("import { readFileSync } from 'node:fs'\nreadFileSync('/etc/hostname')"),
    text: /reached out of its folder/,
  },
  {
    reason: 'shape-mismatch',
    title: 'an entry that starts a program while it is loaded',
    set: code("import { execFileSync } from 'node:child_process'\nexecFileSync('true')"),
    text: /reached out of its folder/,
  },
  { reason: 'probe-failed', title: 'an entry that ends the process', set: code('process.exit(3)'), text: /ended with code 3/ },
  { reason: 'id-bundled', title: 'the id of a plugin that came with agent', set: (stage) => dice(stage, { id: 'toolset-files' }) },
  { reason: 'manifest-invalid', title: 'a manifest that is none', set: also('agent.plugin.json', '{"id": 7}') },
  { reason: 'manifest-invalid', title: 'no manifest', set: without('agent.plugin.json'), text: /the file is missing/ },
  {
    reason: 'manifest-invalid',
    title: 'two versions',
    set: (stage) => dice(stage, {}, { version: '1.0.1' }),
    text: /says version 1\.0\.0, package\.json says 1\.0\.1/,
  },
  { reason: 'entry-missing', title: 'an entry that is not there', set: without('dist/toolset.dice.js') },
  { reason: 'package-invalid', title: 'no package.json', set: without('package.json'), text: /package\.json is missing/ },
  { reason: 'package-invalid', title: 'a package.json without a name', set: also('package.json', '{"version":"1.0.0"}') },
  {
    reason: 'tarball-damaged',
    title: 'no tarball',
    set(stage) {
      writeFileSync(join(stage.folder, 'dice.tgz'), 'hello')
      return 'file:dice.tgz'
    },
  },
]

test.each(cases)('$title is refused: $reason', async ({ reason, set, text }) => {
  using stage = openInstallStage()
  const spec = set(stage)
  const before = stage.fingerprint()
  const asked = (await stage.json('install', spec)) as { consent?: { hash: string }; error?: unknown }
  // Code runs only after somebody has agreed.
  const { error } = asked.consent
    ? await stage.json('install', spec, '--accept', asked.consent.hash)
    : (asked as Awaited<ReturnType<typeof stage.json>>)
  expect(error).toMatchObject({ code: 'PLUGIN_REFUSED', params: { reason } })
  if (text) expect(error?.params.problem).toMatch(text)
  expect(stage.fingerprint()).toBe(before)
})

test('the id of another package is refused, and so is an update that turns into another plugin', async () => {
  using stage = openInstallStage()
  await stage.install(dice(stage))
  const other = stage.pack('other', diceFiles({ version: '9.0.0' }, { name: 'agent-plugin-evil' }))
  dice(stage, { id: 'toolset-other', version: '2.0.0' })
  const before = stage.fingerprint()
  expect((await stage.json('install', other)).error?.params).toMatchObject({ reason: 'id-taken' })
  expect((await stage.json('update', 'toolset-dice')).error?.params).toMatchObject({ reason: 'id-changed' })
  expect(stage.fingerprint()).toBe(before)
})

test('what was put there by hand is not replaced', async () => {
  using stage = openInstallStage()
  stage.write(join(stage.home, 'plugins', 'local', 'toolset-dice', 'agent.plugin.json'), diceFiles()['agent.plugin.json'] ?? '')
  expect((await stage.json('install', dice(stage))).error?.params).toMatchObject({ reason: 'id-taken' })
})

test('every refusal is brought about by a test', () => {
  // These are told apart where locks are reproduced, versions are kept and lists of organisations are obeyed.
  const elsewhere: readonly PackageRefusal[] = [
    'id-taken',
    'id-changed',
    'integrity-mismatch',
    'files-mismatch',
    'lock-stale',
    'no-previous',
    'blocked',
    'withdrawn',
    'not-pinned',
  ]
  const seen = new Set([...cases.map(({ reason }) => reason), ...elsewhere])
  expect(Object.keys(refusals).filter((reason) => !seen.has(reason as PackageRefusal))).toEqual([])
})
