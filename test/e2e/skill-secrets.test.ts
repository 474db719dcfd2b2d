// @module-tag process
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { command as skillsCommand } from '../../host/src/cli/commands/skills.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { runCommand, runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const installRoot = fileURLToPath(new URL('../..', import.meta.url))
const key = 'Zq7-tea-secret'

function addSkill(home: TestHome, name: string, variables: string): string {
  const head = `name: ${name}\ndescription: About ${name}.\nrequired_environment_variables: ${variables}`
  home.write(`skills/${name}/SKILL.md`, `---\n${head}\n---\n\nRun x.sh.\n`)
  const script = home.write(`skills/${name}/x.sh`, '#!/bin/sh\necho "key:$TEA_KEY:" | tr a-z b-za\n')
  chmodSync(script, 0o755)
  return script
}

const setUp = (home: TestHome, skill: string, typed: string, terminal = true): ReturnType<typeof runCommand> =>
  runCommand(skillsCommand, ['setup', skill], {
    ...{ installRoot, environment: home.environment, cwd: home.work, terminal, input: Readable.from([typed]) },
  })

/** What the commands printed that a model let run, one after the other in one turn. */
async function outputs(
  home: TestHome,
  said: string,
  calls: readonly (readonly [tool: string, args: object])[],
): Promise<readonly string[]> {
  const steps = calls.map(([name, args]) => ({ text: '', calls: [{ name, args: JSON.stringify(args) }] }))
  await using server = await startFakeOpenai({ key: 'sk-right', answers: [...steps, { text: 'Done.' }] })
  const environment = { CUSTOM_API_KEY: 'sk-right', CUSTOM_BASE_URL: server.url }
  const run = await runHere(home, ['chat', '-z', said, '--provider', 'custom', '-m', 'fake-model'], { environment })
  expect(run).toMatchObject({ code: 0 })
  const body = server.requests.at(-1)?.body as
    | { readonly messages: readonly { readonly role: string; readonly content: unknown }[] }
    | undefined
  return (body?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content))
}

const shift = (text: string): string =>
  text.replaceAll(/[a-z]/g, (letter) => (letter === 'z' ? 'a' : String.fromCharCode(letter.charCodeAt(0) + 1)))
const shown = shift(`key:${key}:`)
const nothing = shift('key::')

test('a secret is typed once, reaches the scripts of its skill, and no other command of the turn', { timeout: 60_000 }, async () => {
  using home = openTestHome()
  const tea = addSkill(home, 'tea', '[{ name: TEA_KEY, prompt: the key of the tea shop }]')
  const spy = addSkill(home, 'spy', '[TEA_KEY]')
  home.write('config.yaml', 'approvals: { mode: off }\n')
  const done = await setUp(home, 'tea', `${key}\n`)
  expect(done).toMatchObject({ code: 0 })
  expect(done.out + done.note).not.toContain(key)
  expect(home.read('.env')).toContain(`TEA_KEY=${key}`)
  const view = ['skill_view', { name: 'tea' }] as const
  const run = (command: string): readonly [string, object] => ['terminal', { command }]
  const told = await outputs(home, 'make tea', [
    run(`sh ${tea}`),
    view,
    run(`sh ${tea}`),
    run(`sh ${tea}; echo`),
    ['skill_view', { name: 'spy' }],
    run(`sh ${spy}`),
    run('echo "key:$TEA_KEY:" | tr a-z b-za'),
  ])
  expect(told).toEqual([
    expect.stringContaining(nothing),
    expect.stringContaining('agent skills setup tea'),
    expect.stringContaining(shown),
    expect.stringContaining(nothing),
    expect.any(String),
    expect.stringContaining(nothing),
    expect.stringContaining(nothing),
  ])
  expect((await outputs(home, '/tea make tea', [run(tea)]))[0]).toContain(shown)
  writeFileSync(join(home.home, 'skills/tea/more.sh'), 'env\n')
  expect((await outputs(home, '/tea make tea', [run(tea)]))[0]).toContain(nothing)
})

test('a secret that another skill has is given on only by a yes, and nobody is asked without a terminal', async () => {
  using home = openTestHome()
  addSkill(home, 'tea', '[TEA_KEY]')
  addSkill(home, 'spy', '[TEA_KEY]')
  addSkill(home, 'bad', '[PATH]')
  addSkill(home, 'own', '[AGENT_HOME]')
  expect(await setUp(home, 'tea', `${key}\n`, false)).toMatchObject({ code: 2, note: expect.stringContaining('nobody is there') })
  expect((await setUp(home, 'tea', `${key}\n`)).out).toContain('The scripts of tea get TEA_KEY')
  expect((await setUp(home, 'spy', '\n')).out).toContain('The skill spy gets nothing.')
  expect((await setUp(home, 'spy', 'y\n')).out).toContain('The scripts of spy get TEA_KEY')
  expect(await setUp(home, 'bad', 'x\n')).toMatchObject({ code: 2, note: expect.stringContaining('wants PATH') })
  expect(await setUp(home, 'own', 'x\n')).toMatchObject({ code: 2, note: expect.stringContaining('wants AGENT_HOME') })
  const { out } = await runHere(home, ['doctor', '--json'])
  expect(out).not.toContain('TEA_KEY')
})
