import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestSchema, type PanelRequest } from '@agent/plugin-sdk'
import { openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import panel from './panel.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'agent.plugin.json'), 'utf8')))
const call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

async function open() {
  const { context } = openTestContext({ manifest, contribution: 'skills', config: {} })
  const { run } = await panel.open(context, call)
  return (request: Pick<PanelRequest, 'method'> & Partial<PanelRequest>) => run({ input: {}, ...request }, call)
}

test('toolsets tell whether they are on and of use, and are turned on and off', async () => {
  const run = await open()
  const talk = { id: 'talk', state: 'on', about: 'Talks. Set-up: Learn the words.', tools: 'say', isOn: true, isOff: false, canSetUp: true }
  const paint = { id: 'paint', state: 'off', about: 'no brush is ready', tools: '', isOn: false, isOff: true, canSetUp: false }
  expect(await run({ method: 'toolsets' })).toEqual({ rows: [talk, paint] })
  expect(await run({ method: 'turnOff', item: 'talk' })).toEqual({ said: 'talk is off.' })
  expect(await run({ method: 'setUp', item: 'talk' })).toEqual({ said: 'talk is set up.' })
  expect(await run({ method: 'turnOn', item: 'paint' })).toEqual({ said: 'paint is on.' })
  expect(await run({ method: 'toolsets' })).toMatchObject({ rows: [{ state: 'off' }, { state: 'on, of no use' }] })
})

test('skills are listed with those that are not offered and why, and found by words', async () => {
  const run = await open()
  const greeting = { name: 'greeting', state: 'offered', about: 'How to greet.', from: 'home' }
  const curtsy = { name: 'curtsy', state: 'not offered', about: 'How to bow. It is for another system.', from: 'manners' }
  expect(await run({ method: 'skills', input: { find: '' } })).toEqual({ rows: [greeting, curtsy] })
  expect(await run({ method: 'skills', input: { find: ' BOW' } })).toEqual({ rows: [curtsy] })
})

test('a skill is shown with what the agent reads, and one that is gone is told', async () => {
  const run = await open()
  expect(await run({ method: 'skill', item: 'curtsy' })).toMatchObject({ item: { name: 'curtsy' } })
  expect(await run({ method: 'instructions', item: 'greeting' })).toEqual({ text: 'Hello from the test host.' })
  await expect(run({ method: 'skill', item: 'gone' })).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' })
})
