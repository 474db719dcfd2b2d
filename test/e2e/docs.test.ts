import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readText, root } from '../repo/source-files.ts'
import { type AgentProcess, runAgent, startAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

function blocksOf(page: string, language: string): readonly string[] {
  return [...readText(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text)
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

const curls = ['README.md', 'host/docs/talk-over-http.md'].flatMap((page) =>
  blocksOf(page, 'sh')
    .filter((text) => text.startsWith('curl '))
    .map((text) => ({ page, text })),
)

test.each(curls)('$page: $text', ({ text }) => {
  expect(text).toContain('http://127.0.0.1:8642')
  const out = run('sh', ['-c', text.replaceAll('http://127.0.0.1:8642', url).replaceAll('curl ', 'curl -sS --fail ')])
  expect(out).toMatch(/chat\.completion|"object":"(list|response)"/)
})

test('the example of the openai client prints what the agent says', () => {
  const [example = ''] = blocksOf('host/docs/talk-over-http.md', 'js')
  const out = run(process.execPath, ['--input-type=module', '--eval', example.replaceAll('http://127.0.0.1:8642', url)])
  expect(out).toContain('terminal answered:')
})

test('the toolset of the SDK documentation builds, is linked, and rolls', async () => {
  const folder = join(home.work, 'toolset-dice')
  for (const [, name = '', code = ''] of readText('plugin-sdk/docs/toolset.md').matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), code)
  }
  expect(await runAgent(home, ['plugins', 'build', folder])).toMatchObject({ code: 0 })
  mkdirSync(join(home.home, 'plugins', 'local'), { recursive: true })
  symlinkSync(folder, join(home.home, 'plugins', 'local', 'toolset-dice'))
  expect((await runAgent(home, ['chat', '-z', 'call roll_die {"sides": 6}'])).out).toMatch(/^[1-6]$/m)
  expect((await runAgent(home, ['chat', '-z', 'call roll_die {"sides": 1}'])).out).toContain('one side')
})

test('the provider of the SDK documentation is found, and on once it is enabled', async () => {
  const [manifest = ''] = blocksOf('plugin-sdk/docs/README.md', 'json')
  home.write('plugins/local/provider-mine/agent.plugin.json', manifest)
  const reason = async (): Promise<unknown> =>
    JSON.parse((await runAgent(home, ['plugins', 'why', 'mine', '--json'])).out).plugins[0].reason
  expect(await reason()).toBe('not-enabled')
  expect(await runAgent(home, ['plugins', 'enable', 'provider-mine'])).toMatchObject({ code: 0 })
  expect(await reason()).toBeNull()
  expect(await runAgent(home, ['model', 'mine'])).toMatchObject({ code: 0, out: expect.stringContaining('mine-large') })
})
