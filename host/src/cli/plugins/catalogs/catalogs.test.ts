// @module-tag process
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readText } from '../../../../../test/repo/source-files.ts'
import { diceFiles, type InstallStage, openInstallStage } from '../../../../../test/support/install-stage.ts'

interface Row {
  readonly id: string
  readonly state: string
  readonly reason: string | null
}

let stage: InstallStage
let server: Server
let asked: string[]
let key: string
beforeEach(async () => {
  stage = openInstallStage()
  asked = []
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const file = join(stage.folder, 'served', request.url ?? '')
    try {
      response.end(readFileSync(file))
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await serve({})
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/catalog.json`
  stage.write(join(stage.home, 'config.yaml'), `_config_version: 26\nplugins:\n  catalogs:\n    - url: ${url}\n      signed_by: ${key}\n`)
})
afterEach(async () => {
  await stop()
  stage[Symbol.dispose]()
})
const stop = (): Promise<unknown> => new Promise((resolve) => server.close(resolve))

/** Writes a list into the folder that is served, and signs it with the command. */
async function serve(more: object, secret = 'key.pem'): Promise<void> {
  const file = join(stage.folder, 'served', 'catalog.json')
  stage.write(file, JSON.stringify({ format: 1, name: 'ACME', issued: '2026-11-29T08:00:00Z', ...more }))
  const signed = await stage.json('catalogs', 'sign', file, '--key', secret)
  if (secret === 'key.pem') key = String(signed.key)
}

const dice = (version = '1.0.0'): string => stage.pack('dice', diceFiles({ version }))
const row = async (): Promise<Row | undefined> =>
  ((await stage.json('list')) as unknown as { readonly plugins: readonly Row[] }).plugins.find(({ id }) => id === 'toolset-dice')
const blocked = [{ package: 'agent-plugin-dice', reason: 'it steals' }]

test('a list is fetched by a command and kept, and no other command that only looks asks for it', async () => {
  expect((await stage.run(['catalogs', 'list'])).out).toMatch(/^http:.*\n {2}It was never fetched\.$/m)
  expect(asked).toEqual([])
  await serve({ entries: [{ package: 'agent-plugin-dice', range: '^1.0.0' }], blocked: [{ package: 'x', reason: 'y' }] })
  const { code, out } = await stage.run(['catalogs', 'refresh'])
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('ACME of 2026-11-29T08:00:00Z') })
  expect(out).toContain('1 plugins, 1 blocked, 0 versions withdrawn')
  expect(asked.toSorted()).toEqual(['/catalog.json', '/catalog.json.sig'])
  for (const words of [['list'], ['doctor'], ['catalogs', 'list'], ['info', 'toolset-files']]) await stage.run(words)
  expect(asked).toHaveLength(2)
})

test('a wrong signature and an older list are refused and said, and what is kept holds', async () => {
  await serve({ blocked })
  await stage.run(['catalogs', 'refresh'])
  await serve({ issued: '2026-11-30T08:00:00Z' }, 'other.pem')
  const wrong = await stage.run(['catalogs', 'refresh'])
  expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining('It has a signature that does not fit its key.') })
  await serve({ issued: '2026-11-01T08:00:00Z' })
  expect((await stage.run(['catalogs', 'refresh'])).out).toContain('It is older than the one of 2026-11-29T08:00:00Z, and is not taken.')
  await stop()
  const silent = await stage.run(['install', dice()])
  expect(silent.note).toMatch(/The catalog http:\S+ does not answer: .*; the one of 2026-11-29T08:00:00Z holds\./)
  expect(silent.note).toContain('the catalog ACME blocks it: it steals')
})

test('what is blocked, withdrawn or not allowed in this version is not installed', async () => {
  const spec = dice('1.1.0')
  const refused = async (more: object): Promise<unknown> => {
    await serve(more)
    return (await stage.json('install', spec)).error?.params.reason
  }
  expect(await refused({ blocked })).toBe('blocked')
  expect(await refused({ withdrawn: [{ package: 'agent-plugin-dice', versions: ['1.1.0'], reason: 'it always rolls 4' }] })).toBe(
    'withdrawn',
  )
  expect(await refused({ entries: [{ package: 'agent-plugin-dice', range: '~1.0.0' }] })).toBe('not-pinned')
  expect(readdirSync(join(stage.home, 'plugins'))).toEqual(['catalogs'])
  await serve({ entries: [{ package: 'agent-plugin-dice', range: '^1.0.0' }] })
  await stage.install(spec)
  expect(await row()).toMatchObject({ reason: 'not-enabled' })
})

test('an installed plugin that is blocked is not loaded any more, and lists say why and what to do', async () => {
  await stage.install(dice())
  await stage.run(['enable', 'toolset-dice'])
  expect(await row()).toMatchObject({ state: 'ready' })
  await serve({ withdrawn: [{ package: 'agent-plugin-dice', versions: ['1.0.0'], reason: 'it always rolls 4' }] })
  await stage.run(['catalogs', 'refresh'])
  expect(await row()).toMatchObject({ state: 'blocked', reason: 'withdrawn' })
  const { code, out } = await stage.run(['doctor'])
  expect(code).toBe(1)
  expect(out).toContain(
    'error: toolset-dice: the catalog ACME has withdrawn version 1.0.0: it always rolls 4.\n  agent plugins update toolset-dice',
  )
  dice('1.0.1')
  await stage.run(['update', 'toolset-dice'])
  expect(await row()).toMatchObject({ state: 'ready' })
  await serve({ blocked })
  await stage.run(['catalogs', 'refresh'])
  expect((await stage.run(['why', 'toolset-dice'])).out).toMatch(
    /the catalog ACME blocks it: it steals[\s\S]*agent plugins remove toolset-dice/,
  )
})

test('a kept list that somebody has changed is not believed', async () => {
  await serve({ blocked })
  await stage.run(['catalogs', 'refresh'])
  const folder = join(stage.home, 'plugins', 'catalogs')
  const file = join(folder, readdirSync(folder)[0] ?? '')
  const kept = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...kept, body: Buffer.from('{"format":1}').toString('base64') }))
  expect((await stage.run(['catalogs', 'list'])).out).toContain('It has a signature that does not fit its key.')
})

test('the catalog of the page about catalogs can be signed and read, and its commands exist', async () => {
  const page = readText('host/docs/plugin-catalogs.md')
  const [, example = ''] = /^```jsonc\n([\s\S]*?)^```$/m.exec(page) ?? []
  await serve(JSON.parse(example) as object)
  const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) => text.trim().split('\n'))
  expect(commands).toContain('agent plugins catalogs sign catalog.json --key key.pem')
  const { code, out } = await stage.run(['catalogs', 'refresh'])
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('1 plugins, 1 blocked, 1 versions withdrawn') })
})

test.each([
  [['catalogs', 'sign', 'nowhere.json', '--key', 'key.pem'], 'cannot be read'],
  [['catalogs', 'sign', 'served/catalog.json', '--key', 'served/catalog.json'], 'is no private key'],
  [['catalogs', 'sign', 'wrong.json', '--key', 'key.pem'], 'another format than 1'],
])('%j is refused in words', async (words, problem) => {
  stage.write(join(stage.folder, 'wrong.json'), '{}')
  expect(await stage.run(words)).toMatchObject({ code: 2, note: expect.stringContaining(problem) })
})
