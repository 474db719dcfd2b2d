import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { openFakeServer } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { command as configCommand } from './config.ts'
import { command } from './model.ts'
import { command as usageCommand } from './usage.ts'

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
  expect(out).toMatch(/bedrock +available +takes BEDROCK_API_KEY, or your account of AWS\n/)
  expect(out).toMatch(/openrouter +chosen *\n/)
  expect(out).toMatch(/custom +available +needs model\.base_url or CUSTOM_BASE_URL\n/)
  expect(out).not.toMatch(/(OLLAMA|VLLM|CUSTOM|LMSTUDIO|LLAMACPP)_API_KEY/)
  expect((await run([], { CUSTOM_BASE_URL: 'http://127.0.0.1:9/v1' })).out).toMatch(/custom +available *\n/)
})

const settings = (): string => readFileSync(join(home, 'config.yaml'), 'utf8')

test('what lacks something is not kept, unless it is wanted all the same', async () => {
  const { code, note } = await run(['openai', 'gpt-5'])
  expect([code, note]).toEqual([
    1,
    expect.stringMatching(
      /^openai cannot answer yet\.\nIt needs its key: put OPENAI_API_KEY=… into .*\nThe model was not changed\. .*--no-try/,
    ),
  ])
  expect(existsSync(join(home, 'config.yaml'))).toBe(false)
  expect((await run(['openai', 'gpt-5', '--no-try'])).out).toMatch(/^openai answers from now on with gpt-5\.\nIt needs its key/)
  expect((await run(['custom', 'mine', '--no-try'], { OPENAI_API_KEY: 'sk-1' })).out).toContain(
    'It needs its address: put CUSTOM_BASE_URL=https://…',
  )
  expect((await run(['custom'])).note).toContain('Name one: agent model custom <model>')
})

test('a model may be named as the program writes it, and a / in the name of a model is a part of it', async () => {
  expect((await run(['openai/gpt-5.1', '--no-try'])).out).toContain('openai answers from now on with gpt-5.1.\n')
  expect((await run(['openrouter/meta/llama', '--no-try'])).out).toContain('openrouter answers from now on with meta/llama.\n')
  expect((await run(['openrouter', 'openai/gpt-5', '--no-try'])).out).toContain('openrouter answers from now on with openai/gpt-5.\n')
  expect((await run(['meta/llama', '--no-try'])).note).toContain('agent model openrouter meta/llama')
})

test('a model is tried before it is kept; the way back brings its address along, and no other provider gets that', async () => {
  await using server = await startFakeOpenai({
    models: ['mine', 'other'],
    answers: [{ text: 'Yes.' }, { refuse: { status: 401, message: 'bad key' } }],
  })
  const kept = await run(['custom', 'mine', '--url', server.url])
  expect([kept.note, kept.out, kept.code]).toEqual([
    'Trying custom/mine …\n',
    'custom answers from now on with mine.\nThe way back: agent config unset model\n',
    0,
  ])
  expect(settings()).toContain(server.url)
  const refused = await run(['custom', 'other'])
  expect(refused.note).toMatch(/custom\/other did not answer: .*\nThe model was not changed\./)
  expect([refused.code, settings()]).toEqual([1, expect.stringContaining('default: mine')])
  const { out } = await run(['openai', 'gpt-5', '--no-try'], { OPENAI_API_KEY: 'sk-1' })
  expect(out).toContain('model.base_url was meant for custom and is gone from the settings.\n')
  expect(out).toContain(`The way back: agent model custom mine --url ${server.url}\n`)
  expect(settings()).not.toContain(server.url)
  expect(server.requests.map(({ body }) => (body as { model?: unknown }).model)).toEqual(['mine', 'other'])
  // The call that was answered counts, by what it was for.
  const counted = await runCommand(usageCommand, ['--json'], { environment: { AGENT_HOME: home }, installRoot })
  expect(JSON.parse(counted.out)).toMatchObject({ usage: [{ source: 'try', provider: 'custom', model: 'mine', calls: 1 }] })
})

test('what may be named is said: the models of a provider, and how a model is chosen whose name stood for a provider', async () => {
  await using server = await startFakeOpenai({ models: ['mine', 'other'], answers: [{ text: 'Yes.' }, { text: 'Yes.' }] })
  const address = { CUSTOM_BASE_URL: server.url }
  expect((await run(['custom'], address)).note).toMatch(/Name one: agent model custom <model>\nIt has mine, other\.\n/)
  expect(await run(['custom', '--list'], address)).toMatchObject({ out: 'mine\nother\n', note: 'This is what custom lists now.\n' })
  expect(JSON.parse((await run(['custom', '--list', '--json'], address)).out)).toEqual({ provider: 'custom', models: ['mine', 'other'] })
  await run(['custom', 'mine'], address)
  expect((await run(['other'], address)).note).toContain('If it is a model: agent model custom other\n')
})

test('an address without a path is half of one, and another address of the same model has a way back', async () => {
  await using server = await startFakeOpenai({ models: ['mine'], answers: [{ text: 'Yes.' }] })
  const { origin } = new URL(server.url)
  expect((await run(['custom', 'mine', '--url', origin])).note).toContain(`end in /v1: --url ${origin}/v1\n`)
  await run(['custom', 'mine', '--url', server.url])
  const moved = await run(['custom', 'mine', '--url', 'http://127.0.0.1:9/v1', '--no-try'])
  expect(moved.out).toContain(`The way back: agent model custom mine --url ${server.url}\n`)
})

test('a catalog is fetched by command alone; what it says of the chosen model is shown with where it came from and when', async () => {
  const models = { sharp: { limit: { context: 200_000, output: 8192 }, modalities: { input: ['text', 'image'], output: ['text'] } } }
  await using catalog = await openFakeServer(() => ({ status: 200, body: JSON.stringify({ far: { models }, custom: { models } }) }))
  writeFileSync(
    join(home, 'config.yaml'),
    JSON.stringify({ model: { provider: 'custom', default: 'sharp', base_url: 'http://127.0.0.1:9/v1' } }),
  )
  expect((await run([])).out).not.toContain('It has')
  expect(catalog.journal).toEqual([])
  const fetched = await run(['--refresh', '--from', catalog.url])
  expect(fetched.out).toBe(`2 models of 2 providers are known now, from ${catalog.url}.\n`)
  const shown = (await run([])).out
  expect(shown).toMatch(/It has: 200,000 tokens of context, answers of up to 8,192 tokens, sees pictures\./)
  expect(shown).toMatch(new RegExp(`Fetched from ${catalog.url} on \\d{4}-\\d\\d-\\d\\d; the settings hold before it\\.`))
  expect(JSON.parse((await run(['--json'])).out)).toMatchObject({ fact: { context: 200_000 }, catalog: { source: catalog.url } })
  expect(catalog.journal).toHaveLength(1)
})

test('what the settings say of a model is shown, and config check names a key that it does not know', async () => {
  const write = (fact: object): void =>
    writeFileSync(
      join(home, 'config.yaml'),
      JSON.stringify({ model: { provider: 'custom', default: 'mine', base_url: 'http://127.0.0.1:9/v1' }, models: [fact] }),
    )
  write({ provider: 'custom', model: 'mi*', context: 32_768, output: 8192, input: ['text', 'image'] })
  expect((await run([])).out).toContain('It has: 32,768 tokens of context, answers of up to 8,192 tokens, sees pictures.')
  write({ provider: 'custom', model: 'mi*', contxt: 5 })
  const checked = await runCommand(configCommand, ['check'], { environment: { AGENT_HOME: home }, installRoot })
  expect([checked.code, `${checked.out}${checked.note}`]).toEqual([1, expect.stringContaining('contxt')])
})

test('a dear model is taken when somebody says yes, and is not even tried before', async () => {
  await using server = await startFakeOpenai({ models: ['mine', 'cheap'], answers: [{ text: 'Yes.' }, { text: 'Yes.' }, { text: 'Yes.' }] })
  const own = [
    { provider: 'custom', model: 'mine', input: 20.5, output: 100 },
    { provider: 'custom', model: 'cheap', input: 20, output: 100 },
  ]
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ prices: own }))
  const address = { CUSTOM_BASE_URL: server.url }
  const warned = await run(['custom', 'mine'], address)
  expect([warned.code, server.requests.length]).toEqual([1, 0])
  expect(warned.note).toMatch(/custom\/mine is dear: a million tokens cost \$20\.5 in and \$100 out\.\n.*agent model custom mine --yes/)
  const answered = async (word: string) => {
    const input = new PassThrough()
    input.end(`${word}\n`)
    return runCommand(command, ['custom', 'mine'], { environment: { AGENT_HOME: home, ...address }, installRoot, input, terminal: true })
  }
  expect(await answered('n')).toMatchObject({ code: 1 })
  expect(settings()).not.toContain('default: mine')
  expect((await answered('y')).out).toContain('custom answers from now on with mine.')
  expect((await run(['custom', 'cheap'], address)).out).toContain('custom answers from now on with cheap.')
  expect((await run(['custom', 'mine', '--yes'], address)).out).toContain('custom answers from now on with mine.')
})
