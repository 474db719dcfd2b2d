// @module-tag process
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { type AgentRun, runAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  rmSync(join(home.home, '.no-bundled-skills'))
})
afterEach(() => home[Symbol.dispose]())

const run = (...words: string[]): Promise<AgentRun> => runHere(home, words)
const hello = ['chat', '-z', 'stream 1 tokens']
const skills = (): readonly string[] => {
  const folder = join(home.home, 'skills')
  if (!existsSync(folder)) return []
  const categories = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return categories.flatMap(({ name }) => readdirSync(join(folder, name))).sort()
}

proves('purpose.skills', 'the first start puts the skills of the program into the home, and the model hears of each of them', async () => {
  await using server = await startFakeOpenai({ models: ['m'], answers: () => ({ text: 'Yes.' }) })
  home.write('config.yaml', JSON.stringify({ model: { provider: 'custom', default: 'm', base_url: server.url } }))
  expect(await runAgent(home, ['chat', '-z', 'hello'])).toMatchObject({ code: 0, out: 'Yes.\n', note: '' })
  expect(skills().length).toBeGreaterThanOrEqual(24)
  const heard = server.requests.at(-1)?.raw ?? ''
  for (const name of skills()) expect(heard).toContain(`- ${name}: `)
  expect((await run('skills', 'show', 'git-work')).out).toContain('git reflog')
  await run('chat', '-z', 'hello', '--safe-mode')
})

proves(
  ['state.skill-seeding.off', 'cli.skills.opt-out'],
  'opt-out ends it, with --remove what nobody changed is deleted after a question',
  async () => {
    await run(...hello)
    const all = skills()
    writeFileSync(join(home.home, 'skills', 'development', 'git-work', 'SKILL.md'), '---\nname: git-work\ndescription: mine\n---\nMine.\n')
    expect(await run('skills', 'opt-out', '--remove')).toMatchObject({ code: 2, note: expect.stringContaining('--yes') })
    expect(skills()).toEqual(all)
    expect(await run('skills', 'opt-out', '--remove', '--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${all.length - 1} of them`),
    })
    expect(existsSync(join(home.home, '.no-bundled-skills'))).toBe(true)
    expect(skills()).toEqual(['git-work'])
    await run(...hello)
    expect(skills()).toEqual(['git-work'])
  },
)

proves(['state.skill-seeding.on', 'cli.skills.opt-in'], 'opt-in begins it again, with --sync at once', async () => {
  await run('skills', 'opt-out')
  await run(...hello)
  expect(skills()).toEqual([])
  expect((await run('skills', 'opt-in')).out).toContain('at the next start')
  expect(skills()).toEqual([])
  await run(...hello)
  const all = skills()
  expect(all.length).toBeGreaterThanOrEqual(24)
  await run('skills', 'opt-out', '--remove', '--yes')
  expect((await run('skills', 'opt-in', '--sync')).out).toContain(`${all.length} skills are new`)
  expect(skills()).toEqual(all)
})

proves('cli.profile.create.no-skills', 'profile create --no-skills makes a home that gets none', async () => {
  await run('profile', 'create', 'bare', '--no-skills')
  await run('-p', 'bare', ...hello)
  expect(existsSync(join(home.home, 'profiles', 'bare', 'skills', 'development'))).toBe(false)
})

proves('state.skill-seeding.off', 'what a home cannot take is told, and the answer comes all the same', async () => {
  mkdirSync(join(home.home, 'skills', '.bundled_manifest'), { recursive: true })
  expect(await run(...hello)).toMatchObject({
    code: 0,
    out: 'offline-1\n',
    note: expect.stringContaining('The skills that come with agent'),
  })
})
