// @module-tag process
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readText, root } from '../../../../test/repo/source-files.ts'
import { type AgentProcess, startAgent } from '../../../../test/support/run-agent.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'

const page = 'host/docs/talk-over-http.md'

function blocksOf(file: string, language: string): readonly string[] {
  return [...readText(file).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text)
}

let home: TestHome
let gateway: AgentProcess
let url: string
beforeAll(async () => {
  home = openTestHome()
  gateway = startAgent(home, ['gateway', 'run'], { timeoutMs: 120_000 })
  url = /http:\/\/\S+/.exec(await gateway.heard(/listens at http:\/\/\S+\n/))?.[0] ?? ''
})
afterAll(async () => {
  gateway.child.kill()
  await gateway.ended
  home[Symbol.dispose]()
})

/** Runs a program of the documentation against the gateway of this test. */
function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8', timeout: 20_000 })
  expect(status, stderr).toBe(0)
  return stdout
}

const curls = ['README.md', page].flatMap((file) =>
  blocksOf(file, 'sh')
    .filter((text) => text.startsWith('curl '))
    .map((text) => ({ file, text })),
)

test.each(curls)('$file: $text', ({ text }) => {
  expect(text).toContain('http://127.0.0.1:8642')
  const out = run('sh', ['-c', text.replaceAll('http://127.0.0.1:8642', url).replaceAll('curl ', 'curl -sS --fail ')])
  expect(out).toMatch(/chat\.completion|"object":"(list|response)"/)
})

test('the example of the openai client prints what the agent says', () => {
  const [example = ''] = blocksOf(page, 'js')
  const out = run(process.execPath, ['--input-type=module', '--eval', example.replaceAll('http://127.0.0.1:8642', url)])
  expect(out).toContain('terminal answered:')
})

test.each([
  ['chat/completions/completions', 'ChatCompletionCreateParamsBase'],
  ['responses/responses', 'ResponseCreateParamsBase'],
])('every field that the vendor has in %s is on the page', (file, name) => {
  const types = readText(`node_modules/openai/resources/${file}.d.ts`)
  const fields = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(types)?.[1] ?? ''
  const names = [...fields.matchAll(/^ {4}(\w+)\??:/gm)].map(([, field = '']) => field)
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((field) => !readText(page).includes(`\`${field}`))).toEqual([])
})
