import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type Panel, type PanelRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import panel from './panel.ts'

type Hub = Parameters<Panel['open']>[0]['skillHub']

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }
const source = 'https://skills.example'

async function open(change: (hub: Hub) => Partial<Hub> = () => ({})) {
  const { context } = openTestContext({ manifest, contribution: 'skills', config: {} })
  const { run } = await panel.open({ ...context, skillHub: { ...context.skillHub, ...change(context.skillHub) } }, call)
  return (request: Pick<PanelRequest, 'method'> & Partial<PanelRequest>) => run({ input: {}, ...request }, call)
}

test('what was installed is shown with what the scanner says, compared with its source, updated and removed', async () => {
  const run = await open()
  const tea = { name: 'tea', source, version: 'version 1', installedAt: 1_700_000_000_000, verdict: 'safe', findings: '' }
  expect(await run({ method: 'installed' })).toEqual({
    rows: [{ ...tea, state: 'not compared yet', canUpdate: false, isEdited: false, isPlain: true }],
  })
  expect(await run({ method: 'check', item: 'tea' })).toEqual({ said: 'tea is older than what its source has.' })
  expect(await run({ method: 'installed' })).toMatchObject({ rows: [{ state: 'an older one', canUpdate: true }] })
  expect(await run({ method: 'installedSkill', item: 'tea' })).toMatchObject({ item: { ...tea, state: 'an older one' } })
  expect(await run({ method: 'update', item: 'tea' })).toEqual({ said: 'tea is updated.' })
  expect(await run({ method: 'installed' })).toMatchObject({
    rows: [{ state: 'the same', version: `${source}/index.json`, canUpdate: false }],
  })
  expect(await run({ method: 'remove', item: 'tea' })).toEqual({ said: 'tea is removed.' })
  expect(await run({ method: 'installed' })).toEqual({ rows: [] })
  for (const method of ['check', 'update', 'remove', 'installedSkill'])
    await expect(run({ method, item: 'tea' })).rejects.toMatchObject({ code: 'SKILL_NOT_INSTALLED' })
})

test('a look installs nothing, and each verdict has the button that is right for it', async () => {
  const run = await open()
  expect(await run({ method: 'offered' })).toEqual({ rows: [] })
  expect(await run({ method: 'look', input: { source: ` ${source} ` } })).toEqual({
    said: `${source} has 3 skills. Nothing was installed.`,
  })
  const script = 'grind.sh is a script, which the agent may run'
  expect(await run({ method: 'offered' })).toMatchObject({
    rows: [
      { item: `tea hash-of-tea ${source}`, verdict: 'safe', isSafe: true, isCaution: false },
      { item: `coffee hash-of-coffee ${source}`, verdict: 'caution', findings: script, isSafe: false, isCaution: true },
      { name: 'poison', verdict: 'dangerous', isSafe: false, isCaution: false, advice: expect.stringMatching(/^Nothing/) },
    ],
  })
  expect(await run({ method: 'offer', item: `coffee hash-of-coffee ${source}` })).toMatchObject({
    item: { about: 'Makes coffee.', files: 'SKILL.md' },
  })
  expect(await run({ method: 'installed' })).toMatchObject({ rows: [{ name: 'tea' }] })
})

test('nothing is installed that nobody has looked at, or by the button of another verdict', async () => {
  const run = await open()
  await expect(run({ method: 'install', item: `tea hash-of-tea ${source}` })).rejects.toMatchObject({ code: 'USAGE' })
  await run({ method: 'look', input: { source } })
  await expect(run({ method: 'install', item: `coffee hash-of-coffee ${source}` })).rejects.toMatchObject({
    code: 'SKILL_REFUSED',
    message: 'The skill coffee is not installed: grind.sh is a script, which the agent may run.',
  })
  for (const method of ['install', 'installAgreed'])
    await expect(run({ method, item: `poison hash-of-poison ${source}` })).rejects.toMatchObject({ code: 'SKILL_REFUSED' })
  await expect(run({ method: 'installAgreed', item: `tea hash-of-tea ${source}` })).rejects.toMatchObject({ code: 'SKILL_REFUSED' })
  expect(await run({ method: 'installAgreed', item: `coffee hash-of-coffee ${source}` })).toEqual({ said: 'coffee is installed.' })
  expect(await run({ method: 'install', item: `tea hash-of-tea ${source}` })).toEqual({ said: 'tea is updated.' })
})

test('who agrees agrees to the files that were shown', async () => {
  const asked: unknown[] = []
  const run = await open(() => ({
    install: async (wish) => {
      asked.push(wish)
      throw fail('SKILL_REFUSED', { skill: wish.skill, problem: 'its source has something else now' })
    },
  }))
  await run({ method: 'look', input: { source } })
  await expect(run({ method: 'install', item: `tea hash-of-tea ${source}` })).rejects.toThrow('something else now')
  expect(asked).toEqual([{ source, skill: 'tea', hash: 'hash-of-tea' }])
})

test('an update that wants a look is not made, and is offered instead', async () => {
  const run = await open(({ inspect }) => ({
    inspect: async (wanted) => (await inspect(wanted)).map((offer) => ({ ...offer, verdict: 'caution', findings: ['x.sh is a script'] })),
  }))
  expect(await run({ method: 'update', item: 'tea' })).toMatchObject({
    said: expect.stringMatching(/^tea was not updated: .*wants a look/),
  })
  expect(await run({ method: 'offered' })).toMatchObject({ rows: [{ name: 'tea', verdict: 'caution', isCaution: true }] })
  expect(await run({ method: 'installed' })).toMatchObject({ rows: [{ version: 'version 1' }] })
})

test('what was edited says so, is not updated, and is removed only by the button that says so', async () => {
  const asked: unknown[] = []
  const run = await open(({ installed }) => ({
    installed: async () => (await installed()).map((skill) => ({ ...skill, state: 'edited' })),
    check: async () => [{ name: 'tea', state: 'edited' }],
    remove: async (wish) => void asked.push(wish),
  }))
  expect(await run({ method: 'check', item: 'tea' })).toEqual({ said: 'tea was edited by you, so updates leave it alone.' })
  expect(await run({ method: 'installed' })).toMatchObject({
    rows: [{ state: 'edited', canUpdate: false, isEdited: true, isPlain: false }],
  })
  await run({ method: 'remove', item: 'tea' })
  await run({ method: 'removeEdited', item: 'tea' })
  expect(asked).toEqual([{ skill: 'tea' }, { skill: 'tea', edited: true }])
})

test('a source that cannot be reached says why', async () => {
  const run = await open(() => ({ check: async () => [{ name: 'tea', state: 'unreachable', problem: 'The line is cut.' }] }))
  expect(await run({ method: 'check', item: 'tea' })).toEqual({ said: 'tea has a source that cannot be reached. The line is cut.' })
  expect(await run({ method: 'installed' })).toMatchObject({ rows: [{ state: 'not to be compared', canUpdate: false }] })
  await expect(run({ method: 'look', input: { source: 'https://other.example' } })).rejects.toMatchObject({ code: 'PLUGIN_FETCH' })
})
