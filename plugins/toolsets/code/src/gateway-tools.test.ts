// @module-tag process
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FakeOpenai, startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import { readStarted } from '../../../../test/support/processes-of.ts'
import { runAgent } from '../../../../test/support/run-agent.ts'
import { runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  writeFileSync(join(home.work, 'a.txt'), 'first\nsecond\n')
})
afterEach(() => home[Symbol.dispose]())

const script = (code: string, language = 'python') => `call execute_code ${JSON.stringify({ code, language })}`

const ask = async (text: string, config: object = {}): Promise<string> => {
  home.write('config.yaml', JSON.stringify(config))
  return (await runHere(home, ['chat', '-z', text])).out
}

test('a script works with the tools of its turn, each of them by its own rules', async () => {
  const code = `
print(read_file('a.txt'))
print(terminal('cat a.txt | wc -l'))
write_file(path='new.txt', content='made')
for tool in [lambda: read_file('../home/.en' + 'v'), lambda: terminal(chr(114) + 'm -rf ' + chr(47)), lambda: read_file(1)]:
    try:
        tool()
    except ToolError as error:
        print(error)`
  const said = await ask(script(code))
  expect(said).toMatch(/1\|first.*2\|second/)
  expect(said).toContain('"tool_calls_made":6')
  expect(said).toMatch(/is protected and cannot be used.*deletes the whole system.*arguments of read_file do not fit/s)
  expect(readFileSync(join(home.work, 'new.txt'), 'utf8')).toBe('made')
})

test('a tool that this turn does not have is not there for scripts', async () => {
  expect(await ask(script("web_search('x')"))).toMatch(/"status":"error".*no tool \\"web_search\\"/s)
})

test('the settings bound a script', async () => {
  const said = await ask(script("read_file('a.txt')\nread_file('a.txt')"), { code_execution: { max_tool_calls: 1 } })
  expect(said).toContain('a script makes 1 calls of tools at most (code_execution.max_tool_calls)')
  expect(await ask(script('setInterval(() => 1, 1000)', 'javascript'), { code_execution: { timeout: 1 } })).toContain('"status":"timeout"')
})

test('without a sandbox a script that could do harm is asked about, and what it may do is', async () => {
  const off = { terminal: { sandbox: 'off' } }
  expect(await ask(script("import os\nos.system('date')"), off)).toMatch(/needs approval|was not approved|Nobody can answer/)
  expect(await ask(script("print(read_file('a.txt'))"), off)).toContain('"status":"success"')
})

test('kept in a separate process it works the same, in the sandbox', async () => {
  home.write('config.yaml', JSON.stringify({ plugins: { entries: { 'toolset-code': { isolation: 'process' } } } }))
  const code = "print(read_file('a.txt'))\nopen('here.txt', 'w')\nopen('/etc/planted-by-a-test', 'w')"
  const { out } = await runAgent(home, ['chat', '-z', script(code)])
  expect(out).toMatch(/1\|first.*Read-only file system: '\/etc\/planted-by-a-test'.*"tool_calls_made":1/s)
  expect(readFileSync(join(home.work, 'here.txt'), 'utf8')).toBe('')
})

/** What the model is told of the scripts that it runs one after the other in one turn. */
async function told(
  scripts: readonly object[],
  config: object,
  run: (words: readonly string[]) => Promise<unknown>,
): Promise<readonly string[]> {
  const answers = [...scripts.map((args) => ({ calls: [{ name: 'execute_code', args: JSON.stringify(args) }] })), { text: 'Done.' }]
  await using server: FakeOpenai = await startFakeOpenai({ answers })
  home.write('config.yaml', JSON.stringify({ ...config, model: { provider: 'custom', default: 'fake-model', base_url: server.url } }))
  await run(['chat', '-z', 'go'])
  const messages = (server.requests.at(-1)?.body.messages ?? []) as readonly { readonly role: string; readonly content: string }[]
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
}

const chain = ['python', 'javascript'].flatMap((language) => [
  { language, code: language === 'python' ? "x = str(read_file('a.txt'))" : "const x = (await read_file('a.txt')).text" },
  { language, code: language === 'python' ? 'print(len(x) > 5)' : 'console.log(x.length > 5)' },
  { language, code: language === 'python' ? 'print(len(x) > 5)' : 'console.log(x.length > 5)', reset: true },
])

test.each([
  ['of the gateway', {}],
  ['of its plugin', { plugins: { entries: { 'toolset-code': { isolation: 'process' } } } }],
])('scripts of one turn share an interpreter in the process %s, and none is left afterwards', async (_whose, config) => {
  const said = await told(chain, config, (words) => runAgent(home, words))
  expect(said).toHaveLength(6)
  for (const at of [0, 1, 3, 4]) expect(said[at]).toContain('"status":"success"')
  for (const at of [1, 4]) expect(said[at]).toMatch(/"output":"[Tt]rue\\n"/)
  for (const at of [2, 5]) expect(said[at]).toMatch(/"status":"error".*x.* is not defined/)
  expect(readStarted(home)).toEqual([])
})

test('without a sandbox what earlier scripts have left is judged with a script, until it begins afresh', async () => {
  const scripts = ["file = 'a' + '.txt'", 'print(open(file).read())', 'print(1)', "print(open('a.txt').read())"]
  const said = await told(
    scripts.map((code, at) => ({ code, ...(at === 2 ? { reset: true } : {}) })),
    { terminal: { sandbox: 'off' } },
    (words) => runHere(home, words),
  )
  expect(said).toHaveLength(4)
  expect(said[1]).toMatch(/with what earlier scripts of this conversation have left.*Nobody can answer/s)
  for (const at of [0, 2, 3]) expect(said[at]).toContain('"status":"success"')
  expect(said[3]).toContain('first')
})

test('the model finds it by words, and is not shown it', async () => {
  const answers = [{ calls: [{ name: 'tool_search', args: '{"query":"run a python script"}' }] }, { text: 'Found.' }]
  await using server: FakeOpenai = await startFakeOpenai({ answers })
  await ask('hello', { model: { provider: 'custom', default: 'fake-model', base_url: server.url } })
  const tools = (server.requests[0]?.body.tools ?? []) as readonly { readonly function: { readonly name: string } }[]
  expect(tools.map((tool) => tool.function.name)).not.toContain('execute_code')
  expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('execute_code')
})
