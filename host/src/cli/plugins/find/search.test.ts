// @module-tag process
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../../../test/support/test-cli.ts'
import { addFindCommands } from './add-commands.ts'

interface Offered {
  readonly name: string
  readonly date?: string
  readonly downloads?: number
  readonly published?: object
}

let folder: string
let server: Server | undefined
const lists = new Map<string, Buffer>()
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'find-'))
  writeFileSync(join(folder, 'package.json'), '{"version":"1.2.0"}')
})
afterEach(async () => {
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)))
  server = undefined
  lists.clear()
  rmSync(folder, { recursive: true, force: true })
})

const published = (kind: string, more: object = {}): object => ({
  ...{
    plugin: `${kind}-x`,
    kinds: [kind],
    api: { [kind]: 1 },
    engines: { agent: '*', node: '*' },
    medal: 'silver',
    agent: '1.0.0',
    ...more,
  },
})

/** A registry that answers as npm's does: it counts, and it tells the package.json of a version. With `token`, only who has it is told. */
async function openRegistry(offered: readonly Offered[], token?: string): Promise<string[]> {
  const asked: string[] = []
  const about = ({ name, date, published: own }: Offered): object => ({
    ...{ name, version: '1.0.0', description: `About ${name}.`, keywords: ['agent-plugin'], maintainers: [], date },
    ...(own ? { agent: { published: own } } : {}),
  })
  const answer = (path: string): unknown => {
    if (path.startsWith('/-/v1/search')) {
      return { objects: offered.map((each) => ({ package: about(each), downloads: { monthly: each.downloads } })), total: offered.length }
    }
    const [, name = '', version] = path.split('/')
    const one = offered.find((each) => each.name === decodeURIComponent(name))
    if (one === undefined) return undefined
    return version ? about(one) : { name: one.name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': about(one) } }
  }
  const started = createServer((request, response) => {
    const allowed = token === undefined || request.headers.authorization === `Bearer ${token}`
    asked.push(`${allowed ? 'told' : 'not told'} ${request.url}`)
    const list = lists.get(request.url ?? '')
    if (list) return void response.end(list)
    const body = allowed ? answer(request.url ?? '') : undefined
    response.writeHead(body === undefined ? (allowed ? 404 : 401) : 200, { 'content-type': 'application/json', connection: 'close' })
    response.end(JSON.stringify(body ?? {}))
  })
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(started.address() as AddressInfo).port}`
  const login = token === undefined ? '' : `//${host}/:_authToken=${token}\n`
  writeFileSync(join(folder, '.npmrc'), `registry=http://${host}/\nfetch-retries=0\n${login}`)
  return asked
}

const run = (...words: string[]) =>
  runCommand(
    (cli) => {
      const plugins = new Command('plugins')
      addFindCommands(plugins, { ...cli, installRoot: folder })
      return plugins
    },
    words,
    { environment: { PATH: process.env.PATH, HOME: folder, AGENT_HOME: join(folder, 'home') } },
  )

const portOf = (one: Server | undefined): number => (one?.address() as AddressInfo | undefined)?.port ?? 0

const names = (out: string): readonly string[] =>
  (JSON.parse(out) as { readonly packages: readonly { readonly name: string }[] }).packages.map(({ name }) => name)

test('a row has what the author has published and what the registry counts, and says why a plugin does not fit here', async () => {
  await openRegistry([
    { name: 'agent-plugin-mail', downloads: 70, published: published('platform', { medal: 'gold' }) },
    { name: 'agent-plugin-late', downloads: 1200, published: published('toolset', { api: { toolset: 7 } }) },
    { name: 'agent-plugin-bare', downloads: 3 },
  ])
  const { code, out } = await run('search')
  expect({ code, out }).toEqual({
    code: 0,
    out: [
      'package            version  kind      medal   fits  fetched  about',
      'agent-plugin-mail  1.0.0    platform  gold    yes   70       About agent-plugin-mail.',
      'agent-plugin-late  1.0.0    toolset   silver  no    1200     About agent-plugin-late.',
      'agent-plugin-bare  1.0.0    -         -       -     3        About agent-plugin-bare.',
      'agent-plugin-late was written for version 7 of the contract toolset, and this agent serves 1.\n',
    ].join('\n'),
  })
  const kinds = await run('search', '--kind', 'platform')
  expect(kinds.out).toContain('agent-plugin-mail')
  expect(kinds.out).not.toContain('agent-plugin-late')
  expect(kinds.out).toMatch(/^1 more does not say of which kind it is\.$/m)
  expect(names((await run('search', 'late', '--json')).out)).toEqual(['agent-plugin-late'])
})

test('to browse shows what is fetched most first, and the newest where nobody counts', async () => {
  const days = [
    { name: 'agent-plugin-old', date: '2026-01-01T00:00:00.000Z' },
    { name: 'agent-plugin-new', date: '2026-11-01T00:00:00.000Z' },
    { name: 'agent-plugin-timeless' },
  ]
  await openRegistry(days)
  expect(names((await run('browse', '--json')).out)).toEqual(['agent-plugin-new', 'agent-plugin-old', 'agent-plugin-timeless'])
  expect((await run('browse')).out).toMatch(/^package +version +about$/m)
  await new Promise((resolve) => server?.close(resolve))
  await openRegistry(days.map((each, at) => ({ ...each, downloads: at })))
  expect(names((await run('browse', '--json')).out)).toEqual(['agent-plugin-timeless', 'agent-plugin-new', 'agent-plugin-old'])
})

test('a registry that tells only who is logged in is asked by npm alone, and the login goes to nobody else', async () => {
  const asked = await openRegistry([{ name: 'agent-plugin-secret', downloads: 5, published: published('hooks') }], 'token-of-ann')
  const { out } = await run('search', '--json')
  expect(JSON.parse(out)).toMatchObject({ packages: [{ name: 'agent-plugin-secret', kinds: ['hooks'], medal: 'silver', fits: true }] })
  expect(out).not.toContain('downloads')
  expect(asked).toContainEqual(expect.stringMatching(/^not told \/-\/v1\/search/))
  expect(asked).toContainEqual(expect.stringMatching(/^told \/agent-plugin-secret/))
})

test('behind a proxy nothing goes past it', async () => {
  const asked = await openRegistry([{ name: 'agent-plugin-mail', downloads: 70, published: published('platform') }])
  const host = `127.0.0.1:${portOf(server)}`
  writeFileSync(join(folder, '.npmrc'), `registry=http://registry.example/\nproxy=http://${host}/\nfetch-retries=0\n`)
  await run('search', '--json')
  expect(asked.every((line) => line.includes('http://registry.example/'))).toBe(true)
})

test('what a catalog recommends comes first, and what it blocks says so', async () => {
  await openRegistry([
    { name: 'agent-plugin-mail', downloads: 70, published: published('platform') },
    { name: 'agent-plugin-dice', downloads: 3, published: published('toolset') },
  ])
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const list = {
    ...{ format: 1, name: 'ACME', issued: '2026-11-29T08:00:00Z' },
    entries: [
      { package: 'agent-plugin-dice', note: 'For games.' },
      { package: '@acme/secret', range: '^2.0.0', kind: 'toolset' },
    ],
    blocked: [{ package: 'agent-plugin-mail', reason: 'it loses mail' }],
  }
  const body = Buffer.from(JSON.stringify(list))
  lists.set('/list.json', body).set('/list.json.sig', Buffer.from(sign(null, body, privateKey).toString('base64')))
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const url = `http://127.0.0.1:${portOf(server)}/list.json`
  mkdirSync(join(folder, 'home'))
  writeFileSync(
    join(folder, 'home', 'config.yaml'),
    `_config_version: 26\nplugins:\n  catalogs:\n    - url: ${url}\n      signed_by: ${key}\n`,
  )
  const { out } = await run('browse')
  expect(out.split('\n').map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    'package version catalog kind medal fits fetched about',
    'agent-plugin-dice 1.0.0 ACME toolset silver yes 3 For games.',
    '@acme/secret ^2.0.0 ACME toolset - - - ',
    'agent-plugin-mail 1.0.0 - platform silver no 70 About agent-plugin-mail.',
    'agent-plugin-mail is blocked by the catalog ACME: it loses mail.',
    '',
  ])
})

test('an unknown kind is refused before anybody is asked', async () => {
  expect(await run('browse', '--kind', 'platfrom')).toMatchObject({ code: 2, note: expect.stringContaining('Did you mean "platform"?') })
})
