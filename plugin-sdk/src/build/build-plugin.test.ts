// @module-tag process
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { buildPlugin, runCli, writeManifestSchema } from './index.ts'
import { openPluginFolder } from './plugin-folder.ts'

const definition = (extra = '', config = `z.object({ nick: z.string().default('bot') })`): string => `
import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'
export default definePlugin({
  description: 'A test.', name: 'Chat', id: 'platform-chat',
  env: [{ name: 'CHAT_TOKEN', secret: true, required: true, prompt: 'Token' }],
  platforms: { chat: {
    label: 'Chat', door: 'messaging', reach: 'people', capabilities: {}, limits: {}, env: ['CHAT_TOKEN'],
    config: ${config},
    entry: () => import('./connection.ts'),
  } },
  ${extra}
})`

const files = {
  'src/plugin.ts': definition(),
  'src/connection.ts': `import { fail } from '@agent/plugin-sdk/errors'\nglobalThis.connectionRan = true\nexport default { connect: async () => { throw fail('INTERRUPTED') } }`,
}

test('writes the manifest and the named bundle without running the code of the plugin', async () => {
  await using folder = await openPluginFolder(files)
  const built = await buildPlugin({ dir: folder.dir })
  expect('connectionRan' in globalThis).toBe(false)
  expect(built).toMatchObject({ changed: true, outputs: ['platform.chat.js'] })
  const text = await readFile(join(folder.dir, 'agent.plugin.json'), 'utf8')
  expect(text.endsWith('}\n')).toBe(true)
  const written = JSON.parse(text)
  expect(Object.keys(written)).toEqual('$schema manifestVersion id name description version license api contributes env'.split(' '))
  expect(written).toMatchObject({ version: '1.2.3', license: 'MIT', api: { platform: 1 } })
  expect(written.contributes.platforms[0]).toMatchObject({
    id: 'chat',
    entry: 'dist/platform.chat.js',
    configSchema: { properties: { nick: { type: 'string', default: 'bot' } }, additionalProperties: false },
  })
  expect(await readdir(folder.dir)).not.toContain('dist.tmp')
  const entry = await import(/* @vite-ignore */ pathToFileURL(join(folder.dir, 'dist', 'platform.chat.js')).href)
  await expect(entry.default.connect()).rejects.toMatchObject({ code: 'INTERRUPTED' })
})

test('a second build changes nothing; a check sees a stale manifest and writes nothing', async () => {
  await using folder = await openPluginFolder(files)
  await buildPlugin({ dir: folder.dir, manifestOnly: true })
  expect(await readdir(folder.dir)).not.toContain('dist')
  const file = join(folder.dir, 'agent.plugin.json')
  const text = await readFile(file, 'utf8')
  expect(await buildPlugin({ dir: folder.dir, check: true })).toMatchObject({ changed: false })
  await folder.write({ 'src/plugin.ts': definition().replace("'A test.'", "'Another.'") })
  expect(await buildPlugin({ dir: folder.dir, check: true })).toMatchObject({ changed: true })
  expect(await readFile(file, 'utf8')).toBe(text)
})

test('a library that package.json leaves out of bundles is loaded from where it is installed', async () => {
  await using folder = await openPluginFolder(files)
  const about = { name: 'x', version: '1.2.3', license: 'MIT', type: 'module' }
  await folder.write({
    'node_modules/dice/package.json': JSON.stringify({ name: 'dice', type: 'module', exports: './dice.js' }),
    'node_modules/dice/dice.js': 'export const home = import.meta.url',
    'src/connection.ts': `import { home } from 'dice'\nexport default { connect: () => home }`,
  })
  const homeAfter = async (more: object): Promise<string> => {
    await folder.write({ 'package.json': JSON.stringify({ ...about, ...more }) })
    await buildPlugin({ dir: folder.dir })
    const file = pathToFileURL(join(folder.dir, 'dist', 'platform.chat.js')).href
    return (await import(/* @vite-ignore */ `${file}?${Object.keys(more).length}`)).default.connect()
  }
  expect(await homeAfter({})).toContain('/dist/platform.chat.js')
  expect(await homeAfter({ agent: { unbundled: ['dice'] } })).toContain('/node_modules/dice/dice.js')
})

test('a module that ends in .program.ts gets the module beside it, whole, as the text of a program', async () => {
  await using folder = await openPluginFolder({
    ...files,
    'src/sum.ts': `import { parentPort } from 'node:worker_threads'\nimport { two } from './two.ts'\nparentPort?.postMessage(two + two)`,
    'src/two.ts': 'export const two: number = 2',
    'src/sum.program.ts': "export const program: string = ''",
    'src/connection.ts': `import { program } from './sum.program.ts'\nexport default { connect: () => program }`,
  })
  await buildPlugin({ dir: folder.dir })
  const { default: entry } = await import(/* @vite-ignore */ pathToFileURL(join(folder.dir, 'dist', 'platform.chat.js')).href)
  const worker = new Worker(entry.connect(), { eval: true })
  expect(await new Promise((done) => worker.once('message', done))).toBe(4)
  await folder.write({ 'src/two.ts': "let two = 2\ntry { two = require('gone') } catch {}\nexport { two }" })
  await expect(buildPlugin({ dir: folder.dir })).rejects.toThrow(/sum\.ts needs gone, which is not there/)
})

test('entries that share code share a chunk, and old files leave dist', async () => {
  const shared = `export const words = ${JSON.stringify('w'.repeat(2000))}`
  const tools = (id: string) =>
    `${id}: { label: 'T', entry: () => import('./${id}.ts'), tools: { ${id}_tool: { description: 'd', effect: 'none', parameters: z.object({}) } } }`
  await using folder = await openPluginFolder({
    ...files,
    'src/plugin.ts': definition(`toolsets: { ${tools('one')}, ${tools('two')} },`),
    'src/shared.ts': shared,
    'src/one.ts': `import { words } from './shared.ts'\nexport default { open: async () => ({ tools: { words } }) }`,
    'src/two.ts': `import { words } from './shared.ts'\nexport default { open: async () => ({ tools: { words, b: 1 } }) }`,
    'dist/old.js': '',
  })
  const { outputs, manifest } = await buildPlugin({ dir: folder.dir })
  expect(outputs).toEqual([expect.stringMatching(/^chunk-/), 'platform.chat.js', 'toolset.one.js', 'toolset.two.js'])
  expect(await readdir(join(folder.dir, 'dist'))).toEqual(outputs.flatMap((name) => [name, `${name}.map`]))
  expect(manifest.api).toEqual({ platform: 1, toolset: 1 })
})

const refused: Record<string, [string, RegExp]> = {
  'a lossy schema': [
    definition('', 'z.object({ a: z.object({ nick: z.string().trim() }) })'),
    /platforms\.chat\.config\.a\.nick: uses trim/,
  ],
  'a field that nobody knows': [definition('colour: 1,'), /src\/plugin\.ts: "colour" is no field here\. The fields are .*toolsets/],
  'a field that the build writes': [definition("version: '1.0.0',"), /version: is written by the build/],
  'an entry that is no lazy import': [
    definition().replace("() => import('./connection.ts')", '() => Promise.resolve({})'),
    /entry: must be a lazy/,
  ],
  'an entry that is not there': [definition().replace('connection.ts', 'gone.ts'), /gone\.ts, which does not exist/],
  'an environment name that is not declared': [definition().replace("name: 'CHAT_TOKEN'", "name: 'OTHER'"), /names CHAT_TOKEN, which env/],
  'a value of the wrong type': [
    definition().replace("'messaging'", "'window'"),
    /src\/plugin\.ts: platforms\.chat\.door: "window" is no value here\. The values are messaging, /,
  ],
  'a definition that does not parse': ['export default {', /src\/plugin\.ts: .*Expected identifier/s],
  'no default export': ['export const a = 1', /src\/plugin\.ts/],
  'a guard of an argument that is not there': [
    definition(`toolsets: { t: { label: 'T', entry: () => import('./connection.ts'), tools: { run: { description: 'd', effect: 'none',
      parameters: z.object({}), guards: [{ argument: 'command', as: 'command' }] } } } },`),
    /guards command, which is not an argument/,
  ],
  'a guard of an interpreter that lives on, without a script': [
    definition(`toolsets: { t: { label: 'T', entry: () => import('./connection.ts'), tools: { run: { description: 'd', effect: 'none',
      parameters: z.object({ reset: z.boolean() }), guards: [{ argument: 'reset', as: 'fresh' }] } } } },`),
    /has a guard fresh, but none for the script that it is about/,
  ],
}

test.each(Object.entries(refused))('refuses %s', async (_name, [source, problem]) => {
  await using folder = await openPluginFolder({ ...files, 'src/plugin.ts': source })
  await expect(buildPlugin({ dir: folder.dir })).rejects.toThrow(problem)
  expect(await readdir(folder.dir)).not.toContain('agent.plugin.json')
})

const dataOnly = {
  manifestVersion: 1,
  id: 'provider-x',
  name: 'X',
  description: 'd',
  version: '1.2.3',
  license: 'MIT',
  api: { provider: 1 },
  contributes: { providers: [{ id: 'x', label: 'X', auth: 'api-key', protocol: 'openai-chat' }] },
}

test('skills of a definition are data beside its code', async () => {
  await using folder = await openPluginFolder({ ...files, 'src/plugin.ts': definition("skills: { greet: { path: 'skills/greet' } },") })
  const { manifest, entries } = await buildPlugin({ dir: folder.dir, manifestOnly: true })
  expect(manifest).toMatchObject({
    api: { platform: 1, skills: 1 },
    contributes: { skills: [{ id: 'greet', path: 'skills/greet' }] },
  })
  expect(entries.map(({ name }) => name)).toEqual(['platform.chat'])
})

test('a plugin without code is validated, never rewritten', async () => {
  await using folder = await openPluginFolder({ 'agent.plugin.json': JSON.stringify(dataOnly) })
  expect(await buildPlugin({ dir: folder.dir })).toMatchObject({ changed: false, outputs: [], manifest: { id: 'provider-x' } })
  for (const [change, problem] of [
    [{ version: '2.0.0' }, /package\.json says 1\.2\.3/],
    [{ api: {} }, /lacks provider: 1/],
    [{ contributes: { providers: [{ id: 'x', label: 'X', auth: 'api-key' }] } }, /either a protocol/],
  ] as const) {
    await folder.write({ 'agent.plugin.json': JSON.stringify({ ...dataOnly, ...change }) })
    await expect(buildPlugin({ dir: folder.dir })).rejects.toThrow(problem)
  }
  await folder.write({ 'agent.plugin.json': '{' })
  await expect(buildPlugin({ dir: folder.dir })).rejects.toMatchObject({ code: 'PLUGIN_MANIFEST_INVALID' })
})

test('the command builds several folders, says what failed and exits with 1, or 2 for wrong use', async () => {
  await using good = await openPluginFolder(files)
  await using bad = await openPluginFolder({ 'package.json': '{}' })
  const said: string[] = []
  const output = { out: (text: string) => said.push(text), note: (text: string) => said.push(text) }
  expect(await runCli(['build', bad.dir, good.dir], output)).toBe(1)
  await expect(buildPlugin({ dir: bad.dir })).rejects.toMatchObject({ code: 'PLUGIN_BUILD' })
  expect(said).toEqual([expect.stringContaining('src/plugin.ts: is missing'), 'platform-chat: platform.chat.js'])
  expect(await runCli(['build', '--check', good.dir], output)).toBe(0)
  await good.write({ 'agent.plugin.json': '{}' })
  expect(await runCli(['build', '--check', good.dir], output)).toBe(1)
  expect(await runCli(['build', '--wrong'], output)).toBe(2)
  expect(await runCli(['paint'], output)).toBe(2)
})

test('the published JSON Schema of the manifest is fresh', async () => {
  expect(await writeManifestSchema({ check: true })).toBe(false)
})

test('a name that is nearly right is told with the one that was meant and with all of them', async () => {
  const near = {
    "door: 'messagin'":
      /src\/plugin\.ts: platforms\.chat\.door: "messagin" is no value here: did you mean "messaging"\? The values are messaging, /,
    "door: 'messaging', labl: 1": /platforms\.chat: "labl" is no field here: did you mean "label"\? The fields are .*capabilities/,
  }
  await using folder = await openPluginFolder(files)
  for (const [door, said] of Object.entries(near)) {
    await folder.write({ 'src/plugin.ts': definition().replace("door: 'messaging'", door) })
    await expect(buildPlugin({ dir: folder.dir })).rejects.toThrow(said)
  }
  await folder.write({ 'src/plugin.ts': definition('platfroms: {},') })
  await expect(buildPlugin({ dir: folder.dir })).rejects.toThrow(/"platfroms" is no field here: did you mean "platforms"\? The fields are /)
})

test('a stack of a bundle names the file and the line that the author has written, also behind what is put before it', async () => {
  const source = (more: string): string => `${more}export default {\n  connect: () => {\n    throw new Error('no luck')\n  },\n}\n`
  const stackOf = async (text: string): Promise<string> => {
    await using folder = await openPluginFolder({
      ...files,
      'src/connection.ts': text,
      'node_modules/old/package.json': '{}',
      'node_modules/old/index.js': "exports.old = require('node:fs')",
    })
    await buildPlugin({ dir: folder.dir })
    const file = JSON.stringify(pathToFileURL(join(folder.dir, 'dist', 'platform.chat.js')).href)
    const program = `const { default: entry } = await import(${file})\ntry { entry.connect() } catch (error) { console.log(error.stack) }`
    const { stdout } = await promisify(execFile)(process.execPath, ['--enable-source-maps', '--input-type=module', '-e', program])
    return stdout
  }
  expect(await stackOf(source(''))).toMatch(/src[/\\]connection\.ts:3:11/)
  expect(await stackOf(source("import 'old'\n"))).toMatch(/src[/\\]connection\.ts:4:11/)
  await using folder = await openPluginFolder(files)
  await buildPlugin({ dir: folder.dir })
  const { sources } = JSON.parse(await readFile(join(folder.dir, 'dist', 'platform.chat.js.map'), 'utf8'))
  expect(sources).toEqual(expect.arrayContaining(['../src/connection.ts', '../node_modules/@agent/plugin-sdk/src/contract/errors.ts']))
  expect(sources.filter((source: string) => source.startsWith('../..'))).toEqual([])
  const linesOf = async (): Promise<number> =>
    (await readFile(join(folder.dir, 'dist', 'platform.chat.js'), 'utf8')).trim().split('\n').length
  const readable = await linesOf()
  await buildPlugin({ dir: folder.dir, maps: false })
  expect(await linesOf()).toBeLessThan(readable / 10)
  expect((await readdir(join(folder.dir, 'dist'))).filter((name) => name.endsWith('.map'))).toEqual([])
})
