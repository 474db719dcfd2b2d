// @module-tag process
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { publishRefusals } from '../../host/src/kernel/package/publish-refusals.ts'
import { readText, root } from '../repo/source-files.ts'
import { fetchVerdaccio, openRegistry, type Registry } from '../support/fakes/verdaccio.ts'
import { needs } from '../support/needs.ts'
import type { AgentRun } from '../support/run-agent.ts'
import { openTestDashboard } from '../support/servers/open-test-dashboard.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const missing = await fetchVerdaccio()
/** Refused before anything is built: `read-package.test.ts` has these. */
const elsewhere = ['name-invalid', 'version-invalid', 'license-missing']

interface Shown {
  readonly obstacles: readonly { readonly reason: string; readonly problem: string }[]
  readonly published: boolean
}

describe('with a registry that wants a login', { ...needs(missing), timeout: 300_000 }, () => {
  let registry: Registry
  let author: TestHome
  let home: TestHome
  const seen = new Set(elsewhere)
  beforeAll(async () => {
    registry = await openRegistry({ strict: true })
    author = openTestHome()
    for (const kind of ['toolset', 'skills']) {
      const { code, note } = await runHere(author, ['plugins', 'create', kind, 'dice'])
      expect(code, note).toBe(0)
    }
  }, 120_000)
  afterAll(async () => {
    author[Symbol.dispose]()
    await registry[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    home = openTestHome()
    writeFileSync(join(home.folder, '.npmrc'), registry.npmrc)
  })
  afterEach(() => home[Symbol.dispose]())

  const agent = (...words: string[]): Promise<AgentRun> => runHere(home, words)
  /** A plugin that was made, under another name of a package. What is asked of the registry is asked with skills: there is no code to build and try. */
  const put = (name: string, more: Readonly<Record<string, unknown>> = {}, kind: 'toolset' | 'skills' = 'skills'): string => {
    const dir = join(home.work, 'mine')
    cpSync(join(author.work, `${kind}-dice`), dir, { recursive: true })
    const change = (name: string, fields: object): void => {
      const file = join(dir, name)
      writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...fields }))
    }
    change('package.json', { name, author: 'Ann', bugs: 'https://bugs.example.net', ...more })
    if (kind === 'skills' && more.version) change('agent.plugin.json', { version: more.version })
    return dir
  }
  const shown = async (...words: string[]): Promise<Shown> => {
    const { out } = await agent('plugins', 'publish', 'mine', '--dry-run', '--json', ...words)
    const plan = JSON.parse(out) as Shown
    for (const { reason } of plan.obstacles) seen.add(reason)
    return plan
  }
  const refusedFor = async (...words: string[]): Promise<string> => {
    const { code, out } = await agent('plugins', 'publish', 'mine', '--json', ...words)
    const { error } = JSON.parse(out) as { readonly error?: { readonly code: string; readonly params: { readonly reason: string } } }
    expect({ code, error: error?.code }).toEqual({ code: 1, error: 'PLUGIN_REFUSED' })
    seen.add(error?.params.reason ?? '')
    return error?.params.reason ?? ''
  }
  const versionsOf = async (name: string): Promise<readonly string[]> => {
    const { versions = {} } = (await (await fetch(`${registry.url}${name}`)).json()) as { readonly versions?: object }
    return Object.keys(versions)
  }

  test('a plugin is shown, published, found with its kind and medal, installed, and not published twice', async () => {
    const dir = put('agent-plugin-dice', { keywords: [] }, 'toolset')
    const before = readFileSync(join(dir, 'package.json'), 'utf8')
    const dry = await agent('plugins', 'publish', 'mine', '--dry-run')
    expect(dry, dry.out + dry.note).toMatchObject({ code: 0 })
    expect(dry.out).toMatch(/^agent-plugin-dice 1\.0\.0, the plugin toolset-dice: \d+ files, [\d.]+ kB packed, [\d.]+ kB unpacked$/m)
    expect(dry.out).toMatch(/^ {2}agent\.plugin\.json +[\d.]+ kB$/m)
    expect(dry.out).toMatch(/^ {2}dist\/toolset\.dice\.js +[\d.]+ kB$/m)
    expect(dry.out).not.toMatch(/src\/|test\//)
    expect(dry.out).toMatch(/^medal +gold$/m)
    expect(dry.out).toContain(`${registry.url} as ann`)
    expect(dry.out).toMatch(/^tag +latest$/m)
    expect(dry.out).toMatch(/^provenance +left out: .* keeps none$/m)
    expect(dry.out).toMatch(/Nothing was published\. To publish it: agent plugins publish mine$/m)
    expect(await versionsOf('agent-plugin-dice')).toEqual([])

    const done = await agent('plugins', 'publish', 'mine')
    expect(done, done.out + done.note).toMatchObject({ code: 0 })
    expect(done.out).toContain('agent-plugin-dice 1.0.0 is published. Others get it: agent plugins install agent-plugin-dice\n')
    expect(readFileSync(join(dir, 'package.json'), 'utf8')).toBe(before)
    for (const { out, note } of [dry, done]) expect(out + note).not.toContain(registry.token)

    const search = await agent('plugins', 'search', 'dice')
    expect(search.out).toMatch(/^package +version +kind +medal +fits +about\nagent-plugin-dice +1\.0\.0 +toolset +gold +yes +/)
    const consent = JSON.parse((await agent('plugins', 'install', 'agent-plugin-dice', '--json')).out).consent.hash
    expect(await agent('plugins', 'install', 'agent-plugin-dice', '--accept', consent)).toMatchObject({ code: 0 })
    expect((await agent('plugins', 'info', 'toolset-dice')).out).toMatch(/^ {2}medal +gold, by the check of its author$/m)
    await using dashboard = await openTestDashboard({ environment: home.environment })
    const { plugins } = (await dashboard.ask('GET', '/api/plugins')).body
    expect(plugins).toContainEqual(expect.objectContaining({ id: 'toolset-dice', medal: 'gold' }))

    expect(await refusedFor()).toBe('version-taken')
    expect(await versionsOf('agent-plugin-dice')).toEqual(['1.0.0'])
  })

  test('a pre-release and an older version go under another tag', async () => {
    const dir = put('agent-plugin-tagged', { version: '2.0.0' })
    const first = await agent('plugins', 'publish', 'mine')
    expect(first, first.out + first.note).toMatchObject({ code: 0 })
    rmSync(dir, { recursive: true })
    put('agent-plugin-tagged', { version: '1.9.0' })
    expect(await shown()).toMatchObject({ obstacles: [{ reason: 'tag-needed', problem: expect.stringContaining('2.0.0 is newer') }] })
    rmSync(dir, { recursive: true })
    put('agent-plugin-tagged', { version: '3.0.0-beta.1' })
    expect(await shown()).toMatchObject({ obstacles: [{ reason: 'tag-needed', problem: expect.stringContaining('pre-release') }] })
    expect(await refusedFor('--tag', '3.x')).toBe('tag-invalid')
    const { code, out } = await agent('plugins', 'publish', 'mine', '--tag', 'next')
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('agent plugins install agent-plugin-tagged@next') })
    const about = (await (await fetch(`${registry.url}agent-plugin-tagged`)).json()) as { readonly 'dist-tags': object }
    expect(about['dist-tags']).toEqual({ latest: '2.0.0', next: '3.0.0-beta.1' })
  })

  test('everything that stands in the way is said at once, and nothing is uploaded', async () => {
    const dir = put('agent-plugin-hindered', { private: true }, 'toolset')
    rmSync(join(dir, 'README.md'))
    const file = join(dir, 'src', 'note.ts')
    writeFileSync(file, readFileSync(file, 'utf8').replace('if (text', "if (text === '') throw new Error('blank')\n    if (text"))
    writeFileSync(join(home.folder, '.npmrc'), registry.npmrc.replace(registry.token, 'a-token-of-nobody'))
    const { obstacles, published } = await shown()
    expect(obstacles.map(({ reason }) => reason)).toEqual(['private', 'readme-missing', 'rules-broken', 'login-missing'])
    expect(published).toBe(false)
    const { code, out, note } = await agent('plugins', 'publish', 'mine')
    expect(code).toBe(1)
    expect(out).toMatch(/^FAILED {2}result: /m)
    expect(out).toMatch(/^It cannot be published yet:\n {2}package\.json says "private": true/m)
    expect(note).toMatch(/agent-plugin-hindered: package\.json says "private": true.*Nothing was changed \(private\)/)
    expect(out + note).not.toContain('a-token-of-nobody')
    expect(await versionsOf('agent-plugin-hindered')).toEqual([])
  })

  test('a registry that is not there, and one that says no, are told in words', async () => {
    put('of-bob-dice')
    expect(await refusedFor()).toBe('upload-failed')
    expect(await versionsOf('of-bob-dice')).toEqual([])
    writeFileSync(join(home.folder, '.npmrc'), 'registry=http://127.0.0.1:9/\nfetch-retries=0\n')
    expect((await shown()).obstacles[0]).toMatchObject({ reason: 'registry-silent', problem: expect.stringContaining('cannot be reached') })
  })

  test('the registry of the folder itself, which npm would take, is the one that is asked', async () => {
    const dir = put('agent-plugin-elsewhere', { publishConfig: { registry: registry.url } })
    writeFileSync(join(home.folder, '.npmrc'), registry.npmrc.replace(/^registry=.*$/m, 'registry=http://127.0.0.1:9/'))
    expect(await shown()).toMatchObject({ registry: registry.url, login: 'ann', obstacles: [] })
    rmSync(dir, { recursive: true })
    writeFileSync(join(put('agent-plugin-elsewhere'), '.npmrc'), `registry=${registry.url}\n`)
    expect(await shown()).toMatchObject({ registry: registry.url, login: 'ann', obstacles: [] })
  })

  test('what the guide tells an author to type works', async () => {
    const dir = put('agent-plugin-dice-guided', {}, 'toolset')
    mkdirSync(join(home.folder, 'bin'))
    const program = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'host', 'bin', 'agent.mjs')}' "$@"\n`
    writeFileSync(join(home.folder, 'bin', 'agent'), program, { mode: 0o755 })
    const blocks = [...readText('plugin-sdk/docs/publish.md').matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, text = '']) => text)
    expect(blocks.length).toBeGreaterThan(0)
    const env = { ...home.environment, PATH: `${join(home.folder, 'bin')}:${home.environment.PATH}` }
    const said = blocks.map((block) => {
      const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', block], { cwd: dir, env, encoding: 'utf8', timeout: 90_000 })
      expect(status, stdout + stderr).toBe(0)
      return stdout
    })
    expect(said.join('')).toMatch(/agent-plugin-dice-guided 1\.0\.0 is published[\s\S]*^agent-plugin-dice-guided +1\.0\.0 +toolset/m)
    expect(existsSync(join(dir, 'package'))).toBe(false)
  })

  test('every refusal of publishing is brought about by a test', () => {
    expect([...seen].sort()).toEqual(Object.keys(publishRefusals).sort())
  })
})
