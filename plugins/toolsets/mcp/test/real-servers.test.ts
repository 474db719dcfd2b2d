// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../../../../test/support/free-port.ts'
import { type OpenedToolset, openToolset } from './open-toolset.ts'

const { resolve } = createRequire(import.meta.url)
const everything = resolve('@modelcontextprotocol/server-everything/dist/index.js')
const filesystem = resolve('@modelcontextprotocol/server-filesystem/dist/index.js')

/** The server over HTTP, once it says where it listens. */
async function serve(transport: 'streamableHttp' | 'sse'): Promise<number> {
  const port = await findFreePort()
  const child = spawn(process.execPath, [everything, transport], { env: { PORT: String(port) }, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null) await once(child, 'exit')
  })
  await new Promise<void>((done, fail) => {
    child.once('exit', () => fail(new Error('the server has ended')))
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => /listening|running/i.test(String(bytes)) && done())
  })
  return port
}

async function useEverything(opened: OpenedToolset): Promise<void> {
  const { tools, sources } = await opened.list()
  expect(sources).toEqual([{ name: 'every', state: 'ready', text: expect.stringMatching(/^The MCP server every has \d+ tools\.$/) }])
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['mcp_every_echo', 'mcp_every_get_sum', 'mcp_every_read_resource']))
  expect(await opened.run('mcp_every_echo', { message: 'hello' })).toEqual({ ok: true, text: 'Echo: hello' })
  expect(await opened.run('mcp_every_get_sum', { a: 2, b: 3 })).toMatchObject({ text: expect.stringContaining('5') })
  expect(await opened.run('mcp_every_get_structured_content', { location: 'Chicago' })).toMatchObject({
    text: expect.stringContaining('temperature'),
  })
  expect(await opened.run('mcp_every_get_tiny_image')).toMatchObject({ text: expect.stringMatching(/image\/png, 4 KiB, in \S+\.png/) })
  expect(await opened.run('mcp_every_list_resources')).toMatchObject({ text: expect.stringContaining('demo://resource/static') })
  const uri = 'demo://resource/static/document/features.md'
  expect(await opened.run('mcp_every_read_resource', { uri })).toMatchObject({ ok: true, text: expect.stringContaining(uri) })
  expect(await opened.run('mcp_every_list_prompts')).toMatchObject({ text: expect.stringContaining('args-prompt city state?') })
  expect(await opened.run('mcp_every_get_prompt', { name: 'args-prompt', arguments: { city: 'Bonn' } })).toMatchObject({
    text: expect.stringMatching(/^user: .*Bonn/),
  })
  await opened.run('mcp_every_trigger_long_running_operation', { duration: 0.2, steps: 2 })
  expect(opened.notes.length).toBeGreaterThan(0)
}

test('server-everything is used over standard input and output', async () => {
  await using opened = await openToolset({ every: { command: process.execPath, args: [everything, 'stdio'] } })
  await useEverything(opened)
  expect(await opened.run('mcp_every_get_roots_list')).toMatchObject({ text: expect.stringContaining(opened.workspace) })
})

test('server-everything of a project is one tool with its question until that has run, and is not tried by its name', async () => {
  const project = { question: 'it starts every', rule: '~project/f/every/d' }
  await using opened = await openToolset({ every: { command: process.execPath, args: [everything, 'stdio'], enabled: false, project } })
  expect(await opened.list({ only: 'every', fresh: true })).toMatchObject({ sources: [] })
  const before = await opened.list()
  expect(before.tools).toMatchObject([{ name: 'mcp_every_use', asks: project.question, rule: project.rule, onlyPeople: true }])
  expect(before.sources).toEqual([{ name: 'project', state: 'starting', text: expect.stringContaining('mcp_every_use') }])
  expect(opened.kept.size).toBe(0)
  expect(await opened.run('mcp_every_use')).toMatchObject({ ok: true, text: expect.stringMatching(/has \d+ tools\. tool_search finds/) })
  await useEverything(opened)
  const { tools, revision } = await opened.list()
  expect(revision).not.toBe(before.revision)
  expect(tools.find(({ name }) => name === 'mcp_every_echo')).toMatchObject({ rule: '~project/f/every/d/echo' })
})

test('server-everything is used over streamable HTTP', async () => {
  const port = await serve('streamableHttp')
  await using opened = await openToolset({ every: { url: `http://127.0.0.1:${port}/mcp` } })
  await useEverything(opened)
})

test('server-everything is used over SSE, by its settings and because it knows no better', async () => {
  const port = await serve('sse')
  const url = `http://127.0.0.1:${port}/sse`
  await using told = await openToolset({ every: { url, transport: 'sse' } })
  await useEverything(told)
  await using found = await openToolset({ every: { url } })
  expect(await found.list()).toMatchObject({ sources: [{ state: 'ready' }] })
})

test('server-filesystem reads and writes in its folder', async () => {
  await using opened = await openToolset({})
  await writeFile(join(opened.workspace, 'a.txt'), 'some words')
  await using files = await openToolset({ files: { command: process.execPath, args: [filesystem, opened.workspace], trust: 'hints' } })
  const { tools } = await files.list()
  const asks = (name: string): boolean => tools.find((tool) => tool.name === name)?.asks !== undefined
  expect([asks('mcp_files_read_text_file'), asks('mcp_files_write_file')]).toEqual([false, true])
  expect(await files.run('mcp_files_read_text_file', { path: join(opened.workspace, 'a.txt') })).toMatchObject({
    ok: true,
    text: 'some words',
  })
  expect(await files.run('mcp_files_read_text_file', { path: '/etc/hostname' })).toMatchObject({
    ok: false,
    error: { code: 'TOOL_FAILED' },
    text: expect.stringContaining('denied'),
  })
})

test('server-everything asks the person in the middle of a call, and a model only where the settings say so', async () => {
  const server = { command: process.execPath, args: [everything, 'stdio'] }
  await using opened = await openToolset({ every: { ...server, sampling: true } })
  await opened.list({ fresh: true })
  opened.answerNext('Ann', 'yes', 'skip', 'ann@example.org', 'skip', 'skip', '7', 'decline')
  expect(await opened.run('mcp_every_trigger_elicitation_request')).toMatchObject({ ok: true, text: expect.stringContaining('declined') })
  expect(opened.asked[0]).toMatch(/^The MCP server every asks: Please provide inputs[\s\S]*Your full, legal name/)
  expect(opened.asked).toHaveLength(8)
  const sampled = await opened.run('mcp_every_trigger_sampling_request', { prompt: 'What is the sea?', maxTokens: 50 })
  expect(sampled).toMatchObject({ ok: true, text: expect.stringContaining('answer 1') })
  expect(opened.samples).toEqual([
    { task: 'mcp', system: expect.any(String), text: expect.stringContaining('the sea'), maxOutputTokens: 50 },
  ])
  await using silent = await openToolset({ every: server })
  const { tools } = await silent.list({ fresh: true })
  expect(tools.map(({ name }) => name)).not.toContain('mcp_every_trigger_sampling_request')
})
