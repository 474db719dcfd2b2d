// @module-tag process
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call } from '../../../../test/support/agents/scripted-agents.ts'
import { openEditor, writeConfig } from '../../../../test/support/editors/open-editor.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import type { FakeAnswer } from '../../../../test/support/fakes/fake-vendor.ts'
import { runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { fixtureServer } from '../test/contract.ts'

const through = (name: string, args: object = {}): FakeAnswer => call('tool_call', { name, arguments: args })
const search = call('tool_search', { query: 'say it again' })
const done: FakeAnswer = { text: 'Done.' }

const markOf = ({ folder }: TestHome): string => join(folder, 'mark')
const isStarted = (home: TestHome): boolean => existsSync(markOf(home))

function declare(home: TestHome, more: readonly string[] = [], name = 'notes'): void {
  const server = { command: process.execPath, args: [fixtureServer, 'good', markOf(home), ...more] }
  writeFileSync(join(home.work, '.mcp.json'), JSON.stringify({ mcpServers: { [name]: server } }))
}

const toldIn = (body: { readonly messages?: unknown } = {}): string =>
  String((body.messages as readonly { readonly content: unknown }[]).at(-1)?.content)

test('where nobody can answer, a server of the project is neither started nor used, whatever the settings say of questions', async () => {
  using home = openTestHome()
  await using model = await startFakeOpenai({
    answers: [search, through('mcp_notes_use'), through('mcp_notes_echo', { message: 'x' }), done],
  })
  writeConfig(home, model, { approvals: { mode: 'off' } })
  declare(home)
  // The program is not on this PATH, so that hints name its file.
  const ran = await runHere(home, ['chat', '-z', 'work'], { environment: { PATH: '/usr/bin:/bin' } })
  expect(ran).toMatchObject({ code: 0, out: 'Done.\n' })
  expect(ran.note).toContain(`${join(home.work, '.mcp.json')} names MCP servers that are not used before you allow them: notes.`)
  expect(ran.note).toMatch(/\S+agent\.mjs mcp list shows what they run\.$/m)
  const told = model.requests.map(({ body }) => toldIn(body))
  expect(told[1]).toContain('used once a person has agreed; each of these asks: mcp_notes_use.')
  expect(told[2]).toMatch(/it starts the MCP server notes of .*\.mcp\.json: .*fixture-server\.mjs good .*Nobody can answer here\./)
  expect(told[3]).toContain('mcp_notes_echo')
  expect(isStarted(home)).toBe(false)
  expect((await runHere(home, ['chat', '--safe-mode', '-z', 'work'])).note).not.toContain('.mcp.json')
})

test('agent mcp allows one as it stands there, lists what was said of each, and forgets it; a changed line is asked about again', async () => {
  using home = openTestHome()
  await using model = await startFakeOpenai({
    answers: (request) => (/"tool"/.test(JSON.stringify(request.body.messages)) ? done : search),
  })
  writeConfig(home, model, { command_allowlist: ['git-history'] })
  const mcp = (...words: readonly string[]) => runHere(home, ['mcp', ...words])
  declare(home)
  const stateOf = async (): Promise<unknown> => JSON.parse((await mcp('list', '--json')).out).project.servers[0].state
  expect((await mcp('list')).out).toMatch(/Named by .*\.mcp\.json:\nnotes +asked +.*fixture-server\.mjs good .*mark\n/)
  expect(await mcp('allow', 'notes')).toMatchObject({ code: 0, out: expect.stringContaining('notes may be used in this project: ') })
  expect(readFileSync(join(home.work, '.mcp.json'), 'utf8')).not.toContain('allow')
  expect([await stateOf(), isStarted(home)]).toEqual(['allowed', false])
  expect((await runHere(home, ['chat', '-z', 'work'])).note).not.toContain('before you allow them')
  expect(toldIn(model.requests.at(-1)?.body)).toContain('"name":"mcp_notes_echo"')
  expect(isStarted(home)).toBe(true)
  declare(home, ['other'])
  expect(await stateOf()).toBe('asked')
  await runHere(home, ['chat', '-z', 'work'])
  expect(toldIn(model.requests.at(-1)?.body)).not.toContain('mcp_notes_echo')
  expect(await mcp('forget', 'notes')).toMatchObject({ code: 0, out: 'What was allowed of notes in this project is forgotten.\n' })
  declare(home)
  expect(await stateOf()).toBe('asked')
  expect(home.read('config.yaml')).toMatch(/git-history/)
  expect(home.read('config.yaml')).not.toContain('~project')
  expect(await mcp('forget', 'notes')).toMatchObject({ code: 1 })
  expect(await mcp('allow', 'nots')).toMatchObject({ code: 1, note: expect.stringContaining('notes') })
  await mcp('add', 'notes', '--', 'true')
  expect((await mcp('list')).out).toMatch(/notes +refused +a server of your settings has this name/)
  expect(await mcp('allow', 'notes')).toMatchObject({ code: 2, note: expect.stringContaining('a server of your settings has this name') })
})

test('the person is asked with the whole line: after a no it is not asked again in the session, after a yes its tools are found and asked about', async () => {
  const scripts: Readonly<Record<string, readonly FakeAnswer[]>> = {
    use: [search, through('mcp_notes_use'), search, through('mcp_notes_echo', { message: 'hello' }), done],
    'use again': [through('mcp_notes_use'), done],
  }
  let answer = 'deny'
  await using stage = await openEditor({
    permit: () => answer,
    answers: (request) => {
      const messages = request.body.messages as readonly { readonly role: string; readonly content: unknown }[]
      const from = messages.findLastIndex(({ role }) => role === 'user')
      const said = JSON.stringify(messages[from]?.content)
      const steps = messages.slice(from).filter(({ role }) => role === 'assistant').length
      return scripts[said.includes('again') ? 'use again' : 'use']?.[steps] ?? done
    },
  })
  const { editor, home, server } = stage
  declare(home)
  const { sessionId: first } = await editor.begin(home.work)
  await editor.say(first, 'use')
  await editor.say(first, 'use again')
  expect(editor.permissions).toHaveLength(1)
  expect(JSON.stringify(editor.permissions[0])).toMatch(
    /it starts the MCP server notes of .*\.mcp\.json: .*fixture-server\.mjs good .*mark/,
  )
  expect([toldIn(server.requests.at(-1)?.body).includes('refused in this session'), isStarted(home)]).toEqual([true, false])
  answer = 'always'
  const { sessionId: second } = await editor.begin(home.work)
  await editor.say(second, 'use')
  expect(editor.permissions).toHaveLength(3)
  expect(JSON.stringify(editor.permissions[2])).toContain('it is a tool of the MCP server notes')
  expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toMatch(/The MCP server notes has 11 tools\..*hello/)
  expect(home.read('config.yaml')).toMatch(/mcp_notes_use@~project\/[\da-f]{16}\/notes\/[\da-f]{64}[,\n]/)
  // A tool of the same name, of a server of the same name elsewhere, is another one.
  expect(home.read('config.yaml')).toMatch(/mcp_notes_echo@~project\/[\da-f]{16}\/notes\/[\da-f]{64}/)
})
