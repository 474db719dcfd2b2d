// @module-tag process
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { contractKinds } from '#kernel/kinds.ts'
import { pluginFolders } from '../../../../test/repo/plugin-folders.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { addAuthorCommands } from './add-author-commands.ts'
import { runKit } from './check/run-kit.ts'
import { listKinds } from './create/rename-example.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))
const bundled = pluginFolders.find(({ kind }) => kind === 'providers')?.name ?? ''
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'author-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const runAt = (cwd: string, ...words: string[]) =>
  runCommand(
    (cli) => {
      const plugins = new Command('plugins')
      addAuthorCommands(plugins, { ...cli, installRoot, cwd })
      return plugins
    },
    words,
    { environment: { PATH: process.env.PATH } },
  )
const run = (...words: string[]) => runAt(folder, ...words)

let made: string
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'author-made-'))
  await runAt(made, 'create', 'toolset', 'dice')
})
afterAll(() => rmSync(made, { recursive: true, force: true }))
/** What `create toolset dice` makes, which was built once. */
const putDice = (dir = 'toolset-dice'): void => cpSync(join(made, 'toolset-dice'), join(folder, dir), { recursive: true })

const kinds = listKinds(join(installRoot, 'plugin-sdk', 'examples'))

test('the help of create names each kind', () => {
  const plugins = new Command('plugins')
  addAuthorCommands(plugins, {} as Parameters<typeof addAuthorCommands>[1])
  const help = plugins.commands.find((command) => command.name() === 'create')?.helpInformation() ?? ''
  expect(kinds.filter((kind) => !help.includes(kind))).toEqual([])
})

test('a name may be written with its kind, and the folder chosen', async () => {
  const { out } = await run('create', 'toolset', 'toolset-dice', '--dir', 'deep/er/dice')
  expect(out).toContain('toolset-dice is in')
  expect(JSON.parse(readFileSync(join(folder, 'deep/er/dice/package.json'), 'utf8'))).toMatchObject({ name: 'agent-plugin-toolset-dice' })
})

test.each([
  ['an unknown kind', ['toolst', 'dice'], /no kind of plugin "toolst"\. Did you mean "toolset"\?/],
  ['a name that cannot be one', ['toolset', 'My Dice!'], /Did you mean "my-dice"\?.*agent plugins create toolset my-dice/],
  ['a name of nothing', ['toolset', '9'], /cannot be the name/],
  ['a name that leads elsewhere', ['toolset', '../x'], /Did you mean "x"\?/],
  ['a plugin that came with agent', ['provider', bundled], new RegExp(`provider-${bundled} is the id of a plugin that came with agent`)],
  ['a folder that is taken', ['toolset', 'dice', '--dir', 'taken'], /taken is there already, and nothing in it was changed/],
  ['a folder that is a file', ['toolset', 'dice', '--dir', 'taken/note.txt'], /is there already/],
  ['a place that cannot be', ['toolset', 'dice', '--dir', 'taken/note.txt/dice'], /cannot be made/],
])('%s is refused, and nothing is written', async (_name, words, problem) => {
  putDice('taken')
  writeFileSync(join(folder, 'taken', 'note.txt'), 'mine')
  const before = readdirSync(folder, { recursive: true })
  const { code, note } = await run('create', ...words)
  expect({ code, note }).toEqual({ code: 2, note: expect.stringMatching(problem) })
  expect(readdirSync(folder, { recursive: true })).toEqual(before)
})

test('what does not hold is told in words, in JUnit and by the exit code', async () => {
  putDice()
  const file = join(folder, 'toolset-dice', 'src', 'note.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replace('if (text', "if (text === '') throw new Error('blank')\n    if (text"))
  const { code, out } = await run('check', 'toolset-dice', '--junit', 'reports/check.xml')
  expect(code).toBe(1)
  expect(out).toMatch(/^ok {6}manifest: the definition and the manifest are valid$/m)
  expect(out).toMatch(/^FAILED {2}result: .*\(toolset\.dice, in process\)\n {4}dice_note threw/m)
  expect(out).toMatch(/^ {4}dice_note threw.*\(src\/note\.ts:\d+:\d+\)$/m)
  expect(out).toMatch(/^The same as result: result \(toolset\.dice, in a child\)\.$/m)
  expect(out).toContain('rules do not hold.\nQuality: none; next: ')
  expect(readFileSync(join(folder, 'reports', 'check.xml'), 'utf8')).toMatch(/<failure message="dice_note threw/)
})

test('a plugin that ends its process is told as one, and the program goes on', async () => {
  putDice()
  const file = join(folder, 'toolset-dice', 'src', 'note.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replace('if (text', "if (text === '') process.exit(3)\n    if (text"))
  const { code, note, error } = await run('check', 'toolset-dice')
  expect({ code, error }).toEqual({ code: 1, error: 'PLUGIN_FAILED' })
  expect(note).toMatch(/failed during the rule after "shape"/)
})

test('the rules are printed without a plugin: all of them, or those of a kind', async () => {
  const { code, out } = await run('check', '--list-rules', 'hooks')
  expect(code).toBe(0)
  expect(out).toMatch(/^hooks\n/)
  expect(out).toMatch(/^ {2}refusal +silver +what has to be refused is refused, with a reason \(a hook that may refuse\)$/m)
  const all = JSON.parse((await run('check', '--list-rules', '--json')).out) as readonly { kind?: string; rule: string }[]
  expect(all).toEqual(expect.arrayContaining([expect.objectContaining({ rule: 'manifest', tier: 'bronze' })]))
  expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set([undefined, ...contractKinds]))
  const refused = await run('check', '--list-rules', 'nothing')
  expect({ code: refused.code, note: refused.note }).toEqual({
    code: 2,
    note: expect.stringContaining('No kind of plugin is called nothing'),
  })
})

test('a check that is given up leaves no files', async () => {
  putDice()
  vi.stubEnv('TMPDIR', folder)
  const stop = new AbortController()
  const during = new Set<string>()
  const onResult = (): void => {
    for (const name of readdirSync(folder)) during.add(name)
    stop.abort()
  }
  const dir = join(folder, 'toolset-dice')
  await expect(runKit({ installRoot, dir, environment: {}, signal: stop.signal, onResult })).rejects.toMatchObject({ code: 'INTERRUPTED' })
  expect(during.size).toBe(2)
  expect(readdirSync(folder)).toEqual(['toolset-dice'])
})

test('a build writes the bundles, and an error of the definition is a sentence', async () => {
  putDice()
  rmSync(join(folder, 'toolset-dice', 'dist'), { recursive: true })
  expect((await run('build', 'toolset-dice')).out).toBe('toolset-dice 1.0.0: toolset.dice.js\n')
  expect(existsSync(join(folder, 'toolset-dice', 'dist', 'toolset.dice.js'))).toBe(true)
  writeFileSync(join(folder, 'toolset-dice', 'src', 'plugin.ts'), 'export default 1')
  expect(await run('build', 'toolset-dice')).toMatchObject({ code: 1, error: 'PLUGIN_BUILD' })
  expect((await run('check', 'nowhere')).note).toContain('is no folder')
})

test('a new plugin brings what is around its code, and one without code brings no compiler', async () => {
  const files = (dir: string): string[] => readdirSync(join(folder, dir), { recursive: true }).map(String)
  putDice()
  expect(files('toolset-dice')).toEqual(expect.arrayContaining(['tsconfig.json', '.gitignore', '.github/workflows/check.yml']))
  const about = JSON.parse(readFileSync(join(folder, 'toolset-dice', 'package.json'), 'utf8'))
  const own = JSON.parse(readFileSync(join(installRoot, 'package.json'), 'utf8')).devDependencies
  expect(about.scripts).toMatchObject({ test: 'vitest run', prepack: 'agent-plugin build' })
  for (const name of ['typescript', '@types/node', 'vitest']) expect(about.devDependencies[name]).toBe(own[name])
  await run('create', 'skills', 'tea')
  expect(files('skills-tea')).toContain('.gitignore')
  expect(files('skills-tea')).not.toContain('tsconfig.json')
  expect(readFileSync(join(folder, 'skills-tea', 'package.json'), 'utf8')).not.toContain('typescript')
})

test('wrong types stop a build and break a rule, with the file and the line', async () => {
  putDice()
  const file = join(folder, 'toolset-dice', 'src', 'wait.ts')
  writeFileSync(file, `export const wrong: number = ''\n${readFileSync(file, 'utf8')}`)
  const said = "src/wait.ts:1:14: Type 'string' is not assignable to type 'number' (TS2322)"
  expect(await run('build', 'toolset-dice')).toMatchObject({ code: 1, error: 'PLUGIN_BUILD', note: expect.stringContaining(said) })
  const { code, out } = await run('check', 'toolset-dice', '--only', 'types')
  expect({ code, out }).toEqual({
    code: 1,
    out: `FAILED  types: the compiler finds nothing wrong\n    ${said}\ntoolset-dice: 1 of 1 rules do not hold.\n`,
  })
})

test('a part of the rules is tried alone, a name that no rule has is refused, and what the plugin writes is shown', async () => {
  putDice()
  const { code, out } = await run('check', 'toolset-dice', '--only', 'abort', 'result')
  expect({ code, rules: [...out.matchAll(/^ok {6}(\w+):/gm)].map(([, rule]) => rule) }).toEqual({
    code: 0,
    rules: ['result', 'abort', 'result', 'abort'],
  })
  expect(out).not.toContain('Quality')
  expect((await run('check', 'toolset-dice', '--only', 'nothing')).note).toContain(
    'No rule of this plugin is called nothing. Try: agent plugins check --list-rules',
  )
  const file = join(folder, 'toolset-dice', 'src', 'note.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replace('if (text', "console.error('it looks at', text)\n    if (text"))
  const quiet = await run('check', 'toolset-dice', '--only', 'result')
  const loud = await run('check', 'toolset-dice', '--only', 'result', '--verbose')
  expect([quiet.out, loud.out].map((text) => text.includes('    it looks at buy milk'))).toEqual([false, true])
})

test('what cannot be built or imported is one failure and has no medal', async () => {
  putDice()
  const dir = join(folder, 'toolset-dice')
  const about = join(dir, 'package.json')
  writeFileSync(about, readFileSync(about, 'utf8').replace('"type":', '"author": "Ann", "bugs": "https://bugs.example.net", "type":'))
  const source = readFileSync(join(dir, 'src', 'wait.ts'), 'utf8')
  for (const line of ["import 'nothing-of-this-name'", "throw new Error('no luck')", 'export const = 1']) {
    writeFileSync(join(dir, 'src', 'wait.ts'), `${line}\n${source}`)
    rmSync(join(dir, 'tsconfig.json'), { force: true })
    const { out } = await run('check', 'toolset-dice')
    expect(out.match(/^FAILED/gm), line).toHaveLength(1)
    expect(out, line).toMatch(/^Note: .*(?:cannot be bundled|cannot be imported)/m)
    expect(out, line).toContain('Quality: none')
  }
  const definition = join(dir, 'src', 'plugin.ts')
  writeFileSync(definition, readFileSync(definition, 'utf8').replace("label: 'Dice'", "labl: 'Dice'"))
  const { out } = await run('check', 'toolset-dice')
  expect(out.match(/^FAILED/gm)).toHaveLength(1)
  expect(out).toMatch(/src\/plugin\.ts: toolsets\.dice: "labl" is no field here: did you mean "label"\? The fields are .*label/)
})
