import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { command } from './model.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))
let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'model-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = (words: string[], variables: Readonly<Record<string, string>> = {}) =>
  runCommand(command, words, { environment: { AGENT_HOME: home, ...variables }, installRoot })

test('the list says what each provider needs, and only that', async () => {
  const { out } = await run([], { OPENROUTER_API_KEY: 'sk-or-1' })
  expect(out).toMatch(/openai +available +needs OPENAI_API_KEY\n/)
  expect(out).toMatch(/openrouter +chosen *\n/)
  expect(out).toMatch(/custom +available +needs model\.base_url or CUSTOM_BASE_URL\n/)
  expect(out).not.toMatch(/(OLLAMA|VLLM|CUSTOM|LMSTUDIO|LLAMACPP)_API_KEY/)
  expect((await run([], { CUSTOM_BASE_URL: 'http://127.0.0.1:9/v1' })).out).toMatch(/custom +available *\n/)
})

test('a choice says what is missing still, and the way back', async () => {
  expect((await run(['openai', 'gpt-5'])).out).toMatch(
    /^openai answers from now on with gpt-5\.\nIt still needs its key: put OPENAI_API_KEY=… into .*\n$/,
  )
  const { out } = await run(['custom', 'mine'], { OPENAI_API_KEY: 'sk-1' })
  expect(out).toContain('It still needs its address: agent config set model.base_url https://…\n')
  expect(out).toContain('The way back: agent model openai gpt-5\n')
  expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toContain('provider: custom')
})
