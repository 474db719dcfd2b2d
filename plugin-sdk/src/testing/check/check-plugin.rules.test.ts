// @module-tag process
import { mkdtempSync, rmSync } from 'node:fs'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildPlugin } from '../../build/build-plugin.ts'
import { findSdk } from '../../build/find-sdk.ts'
import { checkPlugin } from './check-plugin.ts'
import { type CheckReport, formatJunit } from './report.ts'
import type { RuleResult } from './rule-result.ts'

const examples = join(findSdk().root, 'examples')
const failures = ({ rules }: Pick<CheckReport, 'rules'>, wanted = 'failed'): string[] =>
  rules
    .filter(({ status }) => status === wanted)
    .map(({ rule, entry = '', place = '', problem = '' }) => [rule, entry, place, problem].filter(Boolean).join(' | '))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-plugin-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A copy of an example far from any installed package. */
async function copyExample(
  kind: string,
): Promise<{ readonly dir: string; edit(file: string, from: string | RegExp, to: string): Promise<void> }> {
  const dir = join(folder, kind)
  await cp(join(examples, kind), dir, { recursive: true, filter: (path) => !path.includes('dist') })
  await buildPlugin({ dir, manifestOnly: true })
  const edit = async (file: string, from: string | RegExp, to: string): Promise<void> => {
    const text = await readFile(join(dir, file), 'utf8')
    const changed = text.replace(from, to)
    expect(changed).not.toBe(text)
    await writeFile(join(dir, file), changed)
  }
  return { dir, edit }
}

test('one child serves as many rules as leave nothing in it', async () => {
  const { dir, edit } = await copyExample('toolset')
  const started = JSON.stringify(join(folder, 'started'))
  const note = `appendFileSync(${started}, process.pid + '\\n')`
  await edit('src/toolset.ts', 'const toolset', `import { appendFileSync } from 'node:fs'\n${note}\nconst toolset`)
  const { rules } = await checkPlugin({ dir })
  expect(failures({ rules })).toEqual([])
  expect(rules.filter(({ place }) => place === 'in a child').length).toBeGreaterThan(5)
  // One process tries the import, this one the rules in process.
  const processes = (await readFile(join(folder, 'started'), 'utf8')).trim().split('\n')
  expect([processes.length, new Set(processes).size]).toEqual([3, 3])
})

test('a library that is left outside of the bundles is found where it is installed, in a child too', async () => {
  const { dir, edit } = await copyExample('toolset')
  const library = join(folder, 'node_modules', '@words', 'kept')
  await mkdir(library, { recursive: true })
  await writeFile(
    join(library, 'package.json'),
    JSON.stringify({ name: '@words/kept', version: '1.0.0', type: 'module', exports: './kept.js' }),
  )
  await writeFile(join(library, 'kept.js'), 'export const place = import.meta.url\n')
  await edit('package.json', /^\{/, '{ "agent": { "unbundled": ["@words/kept"] },')
  const looks = `if (!place.endsWith('/kept/kept.js')) throw new Error('It was bundled: ' + place)`
  await edit(
    'src/toolset.ts',
    'const toolset',
    `// @ts-expect-error It has no types.\nimport { place } from '@words/kept'\n${looks}\nconst toolset`,
  )
  const { rules } = await checkPlugin({ dir })
  expect(failures({ rules })).toEqual([])
  expect(rules.some(({ rule, place }) => rule === 'border' && place === 'in a child')).toBe(true)
})

test('a contract finds what lies beside it', async () => {
  const { dir, edit } = await copyExample('toolset')
  await writeFile(join(dir, 'test', 'words.txt'), 'beside')
  const reads = `readFileSync(new URL('words.txt', import.meta.url), 'utf8')`
  await edit('test/contract.ts', /^/, `import { readFileSync } from 'node:fs'\nif (${reads} !== 'beside') throw new Error('other words')\n`)
  expect(failures(await checkPlugin({ dir }))).toEqual([])
})

test('a built package without its sources is tried with a contract that is given', async () => {
  const { dir } = await copyExample('toolset')
  await buildPlugin({ dir })
  await rm(join(dir, 'src'), { recursive: true })
  const report = await checkPlugin({ dir, contract: join(examples, 'toolset', 'test', 'contract.ts') })
  expect(failures(report)).toEqual([])
  expect(report.rules.some(({ rule, place }) => rule === 'border' && place === 'in a child')).toBe(true)
})

test('without a contract only the files and the shape are tried, and the report says so', async () => {
  const { dir } = await copyExample('toolset')
  await rm(join(dir, 'test', 'contract.ts'))
  const report = await checkPlugin({ dir })
  expect(report).toMatchObject({ passed: true, notes: [expect.stringContaining('test/contract.ts')], quality: { tier: 'none' } })
  expect(report.rules.filter(({ stage }) => stage === 'dynamic').map(({ rule }) => rule)).toEqual(['bundle', 'import'])
})

const wrong: Record<string, readonly [file: string, from: string | RegExp, to: string, failures: readonly (string | RegExp)[]]> = {
  'a stale manifest': ['src/plugin.ts', 'Keeps notes', 'Kept notes', [/^fresh \| .*run agent plugins build/]],
  'another version': ['agent.plugin.json', '"1.0.0"', '"1.0.1"', [/^fresh/, /^version \| .*1\.0\.1.*1\.0\.0/]],
  'a definition that is wrong': ['src/tools.ts', "effect: 'none'", "effect: 'some'", [/^manifest \| .*effect/]],
  'an installed script': ['package.json', '"test":', '"postinstall":', [/^scripts \| .*"postinstall"/]],
  'a package without its bundles': ['package.json', '"dist",', '', [/^package \| .*does not list dist/]],
  'a package of the old kind': ['package.json', '"type": "module",', '', [/^package \| .*"type": "module"/]],
  'an entry that throws': [
    'src/toolset.ts',
    'const toolset',
    "throw new Error('no luck')\nconst toolset",
    [/^import \| .*no luck/, /no luck/],
  ],
  'an entry of another shape': ['src/toolset.ts', 'async open(', 'async start(', [/^import \| toolset\.sample \| .*no method open/]],
  'a module that starts a timer': [
    'src/wait.ts',
    'export function',
    'setInterval(() => {}, 1000)\nexport function',
    [/^import \| .*keeps a process alive/],
  ],
  'a tool that throws': [
    'src/note.ts',
    'if (text',
    "if (text === '') throw new Error('blank')\n    if (text",
    [/^result .*in process/, /^result .*in a child/],
  ],
  'settings of the world that do not fit': [
    'test/contract.ts',
    'most_notes: 20',
    "most_notes: '20', less: 1",
    [/^shape .*in process \| the settings of the world do not fit: most_notes: /, /^life .*in a child/],
  ],
  'a setting of the world that is not known': ['test/contract.ts', 'most_notes: 20', 'most: 20', [/do not fit: .*"most"/]],
  'arguments of the world that do not fit': [
    'test/contract.ts',
    "text: 'buy milk'",
    'text: 3',
    [/^result .*calls sample_note with arguments that do not fit: text: /],
  ],
  'an import that nobody can find': [
    'src/wait.ts',
    'export function',
    "import 'nothing-of-this-name'\nexport function",
    [/^bundle \| .*nothing-of-this-name/s],
  ],
  'a contract without worlds': ['test/contract.ts', 'openWorld', 'openNothing', [/^contract \| .*openWorld/]],
}

test.each(Object.entries(wrong))('%s is found', async (_name, [file, from, to, expected]) => {
  const { dir, edit } = await copyExample('toolset')
  await edit(file, from, to)
  const found = failures(await checkPlugin({ dir, patienceMs: 1500 }))
  for (const pattern of expected) expect(found).toContainEqual(expect.stringMatching(pattern))
})

test('a skill that breaks a rule, and one that is not packed, are found', async () => {
  const { dir, edit } = await copyExample('skills')
  await edit('skills/sample/SKILL.md', 'name: sample', 'name: example')
  await edit('package.json', '"skills",', '')
  expect(failures(await checkPlugin({ dir }))).toEqual([
    'package | "files" of package.json does not list skills/sample',
    'name | skills.sample | skills/sample/SKILL.md says that it is example',
  ])
})

test('an address that is not declared is refused as by the host, in process and in a child', async () => {
  const { dir, edit } = await copyExample('web-backend')
  await edit('src/web.ts', 'config.server + path', "'https://elsewhere.example/' + path")
  await edit('src/plugin.ts', "value: ['any', 'private']", "value: ['web.example.net']")
  const refused = expect.stringMatching(
    /^search .*used elsewhere\.example without declaring it: add "elsewhere\.example" in permissions\.net/,
  )
  expect(failures(await checkPlugin({ dir })).filter((text) => text.startsWith('search'))).toEqual([refused, refused])
})

test('a rule that the world has no part for is skipped, and withholds silver', async () => {
  const { dir, edit } = await copyExample('toolset')
  await edit('package.json', '"type":', '"author": "Ann", "bugs": "https://bugs.example.net", "type":')
  await edit('test/contract.ts', /failing: .*\n *hanging: .*\n/, '')
  const report = await checkPlugin({ dir })
  const skipped = (place: string): string[] =>
    ['errors', 'failing', 'abort', 'hanging'].flatMap((rule, index, all) =>
      index % 2 ? [] : [`${rule} | toolset.sample | ${place} | the world of the tests lacks ${all[index + 1]}, so that nothing is proved`],
    )
  expect(failures(report, 'skipped')).toEqual([...skipped('in process'), ...skipped('in a child')])
  expect(report).toMatchObject({ passed: true, quality: { tier: 'bronze' } })
})

test('machine code and an entry that lies elsewhere are found', async () => {
  const { dir } = await copyExample('toolset')
  await writeFile(join(dir, 'fast.node'), '')
  await rm(join(dir, 'src', 'toolset.ts'))
  await symlink(join(examples, 'toolset', 'src', 'toolset.ts'), join(dir, 'src', 'toolset.ts'))
  const found = failures(await checkPlugin({ dir }))
  expect(found).toContain('native | fast.node is machine code')
  expect(found).toContain('entries | src/toolset.ts is outside of the folder')
})

test('a check that is given up skips what is left', async () => {
  const stop = new AbortController()
  const seen: RuleResult[] = []
  const onResult = (result: RuleResult): void => {
    seen.push(result)
    stop.abort()
  }
  const report = await checkPlugin({ dir: join(examples, 'toolset'), signal: stop.signal, onResult })
  expect(report.passed).toBe(false)
  expect(seen.map(({ status }) => status).slice(0, 2)).toEqual(['passed', 'skipped'])
})

test('a folder that is not there is refused', async () => {
  await expect(checkPlugin({ dir: join(folder, 'gone') })).rejects.toMatchObject({ code: 'PLUGIN_BUILD' })
})

test('the tier needs everything below it, and what no check can tell is named', async () => {
  const { dir, edit } = await copyExample('toolset')
  expect((await checkPlugin({ dir })).quality.tier).toBe('none')
  await edit('package.json', '"type":', '"author": "Ann", "bugs": "https://bugs.example.net", "type":')
  const { quality } = await checkPlugin({ dir })
  expect(quality.tier).toBe('gold')
  expect(quality.rules.filter(({ status }) => status === 'missed')).toEqual([])
  expect(quality.rules).toContainEqual({ tier: 'silver', rule: 'an outage is logged once', status: 'not-computed' })
})

test('JUnit names what failed, whatever its text holds', () => {
  const rule = { stage: 'dynamic', rule: 'result', title: 'a < b', entry: 'toolset.x', place: 'in a child', durationMs: 12 } as const
  const report = {
    plugin: 'toolset-x',
    dir: '/x',
    version: '1.0.0',
    node: '20',
    passed: false,
    notes: [],
    quality: { tier: 'none', rules: [] },
  } as const
  const xml = formatJunit({
    ...report,
    rules: [
      { ...rule, status: 'failed', problem: '"no"\u0000 & never' },
      { ...rule, status: 'passed' },
    ],
  })
  expect(xml).toContain('tests="2" failures="1" skipped="0"')
  expect(xml).toContain('name="result: a &lt; b (in a child)" time="0.012"><failure message="&quot;no&quot; &amp; never"/></testcase>')
})
