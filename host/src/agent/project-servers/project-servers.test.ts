import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ProjectServer, readProjectServers, rulesOfServer } from './project-servers.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'project-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(content: unknown, name = '.mcp.json'): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

interface Said {
  readonly taken?: readonly string[]
  readonly allowlist?: readonly string[]
}

const read = (workspace = '.', { taken = [], allowlist = [] }: Said = {}) =>
  readProjectServers({ workspace: join(folder, workspace), taken, allowlist })

function one(given: unknown, said: Said = {}, name = 'tickets'): ProjectServer {
  // Not by an object of ours, in which some names would be no entries.
  write(`{"mcpServers":{${JSON.stringify(name)}:${JSON.stringify(given)}}}`)
  const [server] = read('.', said)?.servers ?? []
  if (!server) throw new Error('There is no server.')
  return server
}

const ruleOf = ({ settings }: ProjectServer): string => `mcp_tickets_use@${settings?.project.rule}`

test('a project without the file names none, and the nearest file up to the top of the repository counts', () => {
  expect(read()).toBeUndefined()
  write({ mcpServers: { above: { command: 'a' } } })
  mkdirSync(join(folder, 'repo/.git'), { recursive: true })
  mkdirSync(join(folder, 'repo/deep/er'), { recursive: true })
  expect(read('repo/deep/er')).toBeUndefined()
  const path = write({ mcpServers: { top: { command: 'a' } } }, 'repo/.mcp.json')
  expect(read('repo/deep/er')).toMatchObject({ path, servers: [{ name: 'top', settings: { cwd: join(folder, 'repo') } }] })
  write({ mcpServers: { near: { command: 'a' } } }, 'repo/deep/.mcp.json')
  expect(read('repo/deep/er')?.servers.map(({ name }) => name)).toEqual(['near'])
})

test('a program is asked about with its whole line, as a shell would take it, and an address with the names of its headers', () => {
  const server = one({
    command: 'npx',
    args: ['-y', 'it; rm -rf ~', "d'or", ''],
    env: { MODE: 'a b', PATH: '/tmp/bin' },
    alwaysAllow: ['*'],
  })
  expect(server).toMatchObject({
    ...{ state: 'asked', shown: `MODE='a b' PATH=/tmp/bin npx -y 'it; rm -rf ~' 'd'\\''or' ''` },
    settings: {
      command: 'npx',
      project: { question: `it starts the MCP server tickets of ${join(folder, '.mcp.json')}: \`${server.shown}\`` },
    },
  })
  expect(server.settings).not.toHaveProperty('trust')
  expect(one({ type: 'sse', url: 'https://far.example/sse', headers: { 'X-Key': 'hush' } })).toMatchObject({
    ...{ shown: 'https://far.example/sse with X-Key', settings: { transport: 'sse', headers: { 'X-Key': 'hush' } } },
  })
  expect(one({ type: 'http', url: 'https://far.example/mcp' }).settings?.transport).toBe('http')
  expect(one({ url: 'https://far.example/mcp' }).settings?.transport).toBeUndefined()
})

test('a yes is about the folder, the name and each part of the definition', () => {
  const definition = { command: 'node', args: ['one.js'], env: { A: '1' } }
  const allowlist = [ruleOf(one(definition))]
  expect(one(definition, { allowlist }).state).toBe('allowed')
  for (const changed of [
    { ...definition, command: 'nodejs' },
    { ...definition, args: ['two.js'] },
    { ...definition, env: { A: '2' } },
    { url: 'https://far.example' },
  ])
    expect(one(changed, { allowlist }).state, JSON.stringify(changed)).toBe('asked')
  expect(one(definition, { allowlist }, 'other').state).toBe('asked')
  write({ mcpServers: { tickets: definition } }, 'copy/.mcp.json')
  expect(read('copy', { allowlist })?.servers).toMatchObject([{ state: 'asked' }])
  const [rule = ''] = allowlist
  for (const entry of [`${rule}/use`, rule.slice(0, -1), rule.replace('mcp_', 'outside: mcp_'), `outside: true @${rule.split('@')[1]}`])
    expect(one(definition, { allowlist: [entry] }).state, entry).toBe('asked')
  expect(rule).toContain(`@${rulesOfServer(folder, 'tickets')}`)
})

test.each([
  ['a name of the settings', 'tickets', { command: 'a' }, 'a server of your settings has this name'],
  ['a name whose tools would be called like theirs', 'my-notes', { command: 'a' }, 'a server of your settings has this name'],
  ['a name that leads into a prototype', '__proto__', { command: 'a' }, 'its name is none'],
  ['a name with a line in it', 'a\nb', { command: 'a' }, 'its name is none'],
  ['neither command nor address', 'x', {}, 'it needs a command or an address'],
  ['both', 'x', { command: 'a', url: 'https://b' }, 'and not both'],
  ['no object', 'x', 'npx', 'it needs a command or an address'],
  ['another protocol', 'x', { url: 'file:///etc/passwd' }, 'it needs a command or an address'],
  ['another kind', 'x', { type: 'ws', url: 'https://b' }, 'it needs a command or an address'],
  ['arguments that are no texts', 'x', { command: 'a', args: [1] }, 'it needs a command or an address'],
  ['a variable of the person', 'x', { command: 'a', env: { KEY: '${' + 'MY_KEY}' } }, 'no project reads yours'],
  ['a variable with another value', 'x', { url: 'https://b/?k=${' + 'KEY:-none}' }, 'no project reads yours'],
  ['a sign that steers a terminal', 'x', { command: 'a', args: ['\u001b[2K'] }, 'characters that nobody sees'],
  ['text in the other direction', 'x', { command: 'a', args: ['\u202egnp.js'] }, 'characters that nobody sees'],
  ['a letter without a width', 'x', { url: 'https://b/\u200b' }, 'characters that nobody sees'],
  ['a line that would end in the question', 'x', { command: 'a', args: ['`safe` b'] }, 'it has a backtick'],
  ['a blank that is none', 'x', { command: 'a', args: ['b\u00a0c'] }, 'characters that nobody sees'],
  ['a variable that is called like a command', 'x', { command: 'a', env: { 'A=1 sh': '' } }, 'a name that is none'],
  ['more than a question may say', 'x', { command: 'a', args: ['b'.repeat(500)] }, 'longer than a question may be'],
])('%s is refused', (_what, name, given, problem) => {
  const server = one(given, { taken: ['tickets', 'my_notes'] }, name)
  expect(server).toMatchObject({ state: 'refused', problem: expect.stringContaining(problem) })
  expect(server).not.toHaveProperty('settings')
  expect(server.name).not.toMatch(/\n/)
})

test('names that every object has are names like others', () => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty']) expect(one({ command: 'a' }, {}, name).state, name).toBe('asked')
})

test('a file that is none of the project, is huge, or is no list of servers is named, and nothing of it is taken', () => {
  const problemOf = (content: unknown): string | undefined => {
    write(content)
    const found = read()
    expect(found?.servers).toEqual([])
    return found?.problem
  }
  expect(problemOf('{')).toBe('it is no JSON')
  expect(problemOf('['.repeat(60_000))).toBe('it is no JSON')
  for (const content of ['null', '[]', '{}', '{"mcpServers": []}', '"x"']) expect(problemOf(content)).toBe('it has no object mcpServers')
  expect(problemOf(' '.repeat(70_000))).toContain('is larger than 64 KiB')
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`s${at}`, { command: 'a' }]))
  expect(problemOf({ mcpServers: many })).toBe('it names 1000 servers, and at most 32 are read')
  rmSync(join(folder, '.mcp.json'))
  const elsewhere = write({ mcpServers: { x: { command: 'a' } } }, 'elsewhere.json')
  symlinkSync(elsewhere, join(folder, '.mcp.json'))
  expect(read()).toMatchObject({ servers: [], problem: expect.stringContaining('it is a link') })
  rmSync(join(folder, '.mcp.json'))
  mkdirSync(join(folder, '.mcp.json'))
  expect(read()?.problem).toContain('is a folder and no file')
  write({ mcpServers: { x: { command: 'a' } } }, 'se\u200ben/.mcp.json')
  expect(read('se\u200ben')?.problem).toContain('characters in its name that nobody sees')
})
