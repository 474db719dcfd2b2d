// @module-tag process
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fixtureServer } from './contract.ts'
import { openToolset } from './open-toolset.ts'

interface Marked {
  readonly settings: object
  /** What the server wrote down. */
  marks(): string
}

async function fixture(mode = 'good', more: object = {}): Promise<Marked> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-hostile-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const mark = join(folder, 'mark')
  return {
    settings: { command: process.execPath, args: [fixtureServer, mode, mark], ...more },
    marks: () => (existsSync(mark) ? readFileSync(mark, 'utf8') : ''),
  }
}

const pidsIn = (marks: string): readonly number[] => [...marks.matchAll(/^(?:start|child) (\d+)$/gm)].map(([, pid]) => Number(pid))
/** One that is dead and waits for its parent to notice counts as dead. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('a server that never answers is named after the time of a start, and does not hold up the others', async () => {
  const silent = await fixture('silent', { connect_timeout: 0.5 })
  const good = await fixture()
  await using opened = await openToolset({ silent: silent.settings, good: good.settings })
  const { tools, sources } = await opened.list()
  expect(sources).toEqual([
    { name: 'silent', state: 'failed', text: 'The MCP server silent cannot be used: The MCP server silent did not finish within 500 ms.' },
    { name: 'good', state: 'ready', text: 'The MCP server good has 11 tools.' },
  ])
  expect(tools.every(({ name }) => name.startsWith('mcp_good_'))).toBe(true)
  await expect.poll(() => pidsIn(silent.marks()).some(isAlive)).toBe(false)
})

test('a server that ends at once is told with its last words', async () => {
  const { settings } = await fixture('brief')
  await using opened = await openToolset({ fix: settings })
  expect((await opened.list()).sources).toEqual([
    { name: 'fix', state: 'failed', text: 'The MCP server fix cannot be used: it has ended (it said: I lack the file licence.txt).' },
  ])
})

test.each(['chatty', 'noisy'])('a %s server works, and little of what it says is kept', async (mode) => {
  const { settings } = await fixture(mode)
  await using opened = await openToolset({ fix: settings })
  expect((await opened.list()).sources).toMatchObject([{ state: 'ready' }])
  expect(await opened.run('mcp_fix_echo', { message: 'hello' })).toEqual({ ok: true, text: 'hello' })
})

test('a server that floods is ended and named, and the next call has a new one', async () => {
  const { settings, marks } = await fixture()
  await using opened = await openToolset({ fix: settings })
  await opened.list()
  expect(await opened.run('mcp_fix_flood')).toMatchObject({
    ok: false,
    error: { params: { detail: expect.stringContaining('It was ended because it wrote 64 MiB without an answer') } },
  })
  expect(opened.warned).toEqual([expect.stringContaining('an MCP server was ended')])
  expect(await opened.run('mcp_fix_echo', { message: 'again' })).toEqual({ ok: true, text: 'again' })
  expect(pidsIn(marks()).filter(isAlive)).toHaveLength(1)
})

test('a result of 50 MB is not read, and the server is named', async () => {
  const { settings } = await fixture()
  await using opened = await openToolset({ fix: settings })
  await opened.list()
  const result = await opened.run('mcp_fix_big')
  expect(result).toMatchObject({ ok: false, error: { params: { detail: expect.stringContaining('wrote a message longer than 16 MiB') } } })
})

test('a long result is cut, and all of it is in a file that goes with the toolset', async () => {
  const { settings } = await fixture()
  let path = ''
  {
    await using opened = await openToolset({ fix: settings })
    await opened.list()
    const result = await opened.run('mcp_fix_long')
    const text = result.ok ? result.text : ''
    expect(text.length).toBeLessThan(51_000)
    path = /are in (\S+) …/.exec(text)?.[1] ?? ''
    expect(await readFile(path, 'utf8')).toMatch(/^line 0\n.*line 19999$/s)
  }
  expect(existsSync(path)).toBe(false)
})

test('a server that dies in the middle of a call: what only reads is called again, what may have done its work is not', async () => {
  const dying = await fixture('once')
  await using opened = await openToolset({ fix: dying.settings })
  await opened.list()
  expect(await opened.run('mcp_fix_die')).toMatchObject({
    ok: false,
    error: { params: { detail: expect.stringMatching(/The MCP server fix did not answer: it has ended.*it may have done its work/) } },
  })
  expect(dying.marks().match(/tools\/call die$/gm)).toHaveLength(1)
  expect(await opened.run('mcp_fix_die_once')).toMatchObject({ ok: false })
  expect(dying.marks().match(/tools\/call die_once$/gm)).toHaveLength(2)
  expect(await opened.run('mcp_fix_echo', { message: 'hello' })).toEqual({ ok: true, text: 'hello' })
})

test('tools that change are found when the server says so, and are known at the next start', async () => {
  const { settings, marks } = await fixture()
  const first = await openToolset({ fix: settings })
  await first.list()
  expect(await first.run('mcp_fix_fresh')).toMatchObject({ ok: false, error: { params: { detail: 'Its MCP server has it no more.' } } })
  await first.run('mcp_fix_change')
  await expect.poll(async () => (await first.list()).tools.some(({ name }) => name === 'mcp_fix_fresh')).toBe(true)
  await first[Symbol.asyncDispose]()
  await using second = await openToolset({ fix: settings }, first.kept)
  expect((await second.list()).tools.map(({ name }) => name)).toContain('mcp_fix_fresh')
  expect(pidsIn(marks())).toHaveLength(1)
  expect((await second.list({ fresh: true })).tools.map(({ name }) => name)).not.toContain('mcp_fix_fresh')
  await using other = await openToolset({ fix: { ...settings, trust: 'full' } }, first.kept)
  await other.list()
  expect(pidsIn(marks())).toHaveLength(3)
})

test('an interrupted call is taken back at the server, which goes on', async () => {
  const { settings, marks } = await fixture()
  await using opened = await openToolset({ fix: settings })
  await opened.list()
  const stop = new AbortController()
  const running = opened.run('mcp_fix_hang', {}, stop.signal)
  await expect.poll(() => marks()).toContain('tools/call hang')
  stop.abort(new Error('interrupted'))
  await expect(running).rejects.toThrow('interrupted')
  await expect.poll(() => marks()).toContain('notifications/cancelled')
  expect(await opened.run('mcp_fix_echo', { message: 'still here' })).toEqual({ ok: true, text: 'still here' })
  expect(pidsIn(marks())).toHaveLength(1)
})

test('a server is ended with what it started, also one that hears no signal', async () => {
  const [parent, deaf] = [await fixture('child'), await fixture('deaf', { connect_timeout: 0.3 })]
  {
    await using opened = await openToolset({ parent: parent.settings, deaf: deaf.settings })
    await opened.list()
    expect(pidsIn(parent.marks()).filter(isAlive)).toHaveLength(2)
  }
  expect(pidsIn(parent.marks() + deaf.marks())).toHaveLength(3)
  await expect.poll(() => pidsIn(parent.marks() + deaf.marks()).filter(isAlive)).toEqual([])
})

test('a server gets what its settings name, and nothing else of the environment', async () => {
  const { settings } = await fixture('good', { env: { OWN: 'value' } })
  await using opened = await openToolset({ fix: settings })
  await opened.list()
  const result = await opened.run('mcp_fix_environment')
  const seen = JSON.parse(result.ok ? result.text : '{}')
  expect(Object.keys(seen).sort()).toEqual(['HOME', 'OWN', 'PATH'])
})

test('a failure of a tool is a result with its words, and an unknown tool of a server one too', async () => {
  const { settings } = await fixture()
  await using opened = await openToolset({ fix: settings })
  await opened.list()
  expect(await opened.run('mcp_fix_fail')).toEqual({
    ...{ ok: false, text: 'there is no such street' },
    error: { code: 'TOOL_FAILED', params: { tool: 'mcp_fix_fail', detail: 'there is no such street' } },
  })
  expect(await opened.run('mcp_nobody_echo')).toMatchObject({ ok: false })
})

test('only the tools that the settings want are there, and a server that is off is not started', async () => {
  const [some, less, off] = [await fixture(), await fixture(), await fixture('good', { enabled: false })]
  await using opened = await openToolset({
    ...{ some: { ...some.settings, tools: { include: ['e*o', 'write.file'], exclude: ['echo'] } } },
    ...{ less: { ...less.settings, tools: { exclude: ['*'] } }, off: off.settings },
  })
  expect((await opened.list()).tools.map(({ name }) => name)).toEqual(['mcp_some_echo', 'mcp_some_write_file'])
  expect(off.marks()).toBe('')
  expect(await opened.list({ only: 'off', fresh: true })).toMatchObject({ sources: [{ name: 'off', state: 'ready' }] })
})

test('where two servers come to the same names neither has them, and each name and rule is about its own server', async () => {
  const [one, two] = [await fixture('good', { tools: { include: ['echo'] } }), await fixture('good', { tools: { include: ['echo'] } })]
  await using opened = await openToolset({ 'a-b': one.settings, a_b: two.settings })
  const { tools } = await opened.list()
  expect(tools.map(({ name, rule, effect }) => [name, rule, effect])).toEqual([
    [expect.stringMatching(/^mcp_a_b_echo_[0-9a-f]{8}$/), 'a-b/echo', 'external'],
    [expect.stringMatching(/^mcp_a_b_echo_[0-9a-f]{8}$/), 'a_b/echo', 'external'],
  ])
  expect(await opened.run('mcp_a_b_echo', { message: 'x' })).toMatchObject({ ok: false })
  expect(await opened.run(tools[1]?.name ?? '', { message: 'x' })).toMatchObject({ ok: true, text: 'x' })
  expect([one.marks(), two.marks()].map((marks) => marks.includes('tools/call echo'))).toEqual([false, true])
})
