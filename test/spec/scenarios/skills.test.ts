// @module-tag process
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { type AgentRun, gatewayRuns, runAgent, startAgent } from '../../support/run-agent.ts'
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

proves('purpose.skills', 'optional skills come with the program and are there once somebody installs them', async () => {
  await using server = await startFakeOpenai({ models: ['m'], answers: () => ({ text: 'Yes.' }) })
  home.write('config.yaml', JSON.stringify({ model: { provider: 'custom', default: 'm', base_url: server.url } }))
  const heard = async (): Promise<string> => {
    await run('chat', '-z', 'hello')
    return server.requests.at(-1)?.raw ?? ''
  }
  const offered = (): Promise<AgentRun> => run('skills', 'list', '--optional')
  expect((await offered()).out).toMatch(/^meal-plan +optional +Plan meals for a week/m)
  expect(await heard()).not.toContain('meal-plan')
  expect(await run('skills', 'install', 'optional:meal-plam')).toMatchObject({
    code: 1,
    note: 'agent: agent has no optional skill "meal-plam". Did you mean "meal-plan"? agent skills list --optional shows them.\n',
  })
  expect(await run('skills', 'install', 'optional:meal-plan')).toMatchObject({ code: 0, out: 'meal-plan is installed.\n', note: '' })
  expect(await heard()).toContain('- meal-plan: Plan meals for a week')
  expect(readdirSync(join(home.home, 'skills', 'meal-plan'))).toEqual(['SKILL.md'])
  expect((await run('skills', 'show', 'meal-plan')).out).toContain('An allergy is a rule and no wish')
  expect((await offered()).out).toMatch(/^meal-plan +installed /m)
  expect((await run('skills', 'check')).out).toMatch(/^meal-plan +is what its source has +optional:meal-plan$/m)
  const { skills: rows } = JSON.parse((await run('skills', 'list', '--optional', '--json')).out)
  expect(rows).toContainEqual(expect.objectContaining({ source: 'optional:meal-plan', category: 'everyday', state: 'installed' }))
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

proves('state.skill-seeding.off', 'a home that is installed with --no-skills gets none at its first start, and none later', async () => {
  const fresh = join(home.folder, 'fresh')
  const environment = { AGENT_HOME: fresh }
  const gateway = startAgent(home, ['gateway', 'run', '--from-start', '--no-skills'], { environment })
  await gateway.heard(gatewayRuns)
  gateway.child.kill('SIGTERM')
  await gateway.ended
  await runHere(home, hello, { environment })
  expect(readdirSync(fresh)).toContain('.no-bundled-skills')
  expect(existsSync(join(fresh, 'skills', 'development'))).toBe(false)
  await runHere(home, ['skills', 'opt-in'], { environment })
  await runHere(home, hello, { environment })
  expect(existsSync(join(fresh, 'skills', 'development'))).toBe(true)
})

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
