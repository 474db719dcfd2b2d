import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PanelRecord } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type ChatClient, openChatStage } from '../../../../test/support/chats/chat-stage.ts'
import { writePackage } from '../../../../test/support/write-tar.ts'

const ask = (client: ChatClient, method: string, more: { readonly item?: string; readonly input?: PanelRecord } = {}) =>
  client.call('panel.run', { panel: 'skills', method, input: {}, ...more })

async function rowsOf(client: ChatClient, method: string): Promise<readonly PanelRecord[]> {
  return ((await ask(client, method)) as { readonly rows: readonly PanelRecord[] }).rows
}

test('the dashboard serves it with the skills of the home, also those that are not offered', async () => {
  await using stage = await openChatStage()
  stage.home.write('skills/bake/SKILL.md', '---\nname: bake\ndescription: Bakes bread.\n---\nKnead it.\n')
  stage.home.write('skills/mac/SKILL.md', '---\nname: mac\ndescription: Of a Mac.\nplatforms: [macos]\n---\nClick.\n')
  stage.home.write('skills/lame/SKILL.md', 'no frontmatter')
  const client = stage.connect()
  const rows = await rowsOf(client, 'skills')
  expect(rows).toContainEqual({ name: 'bake', state: 'offered', about: 'Bakes bread.', from: 'home' })
  expect(rows).toContainEqual({ name: 'mac', state: 'not offered', about: 'Of a Mac. It is for macos.', from: 'home' })
  expect(rows).toContainEqual(
    expect.objectContaining({ name: 'lame', state: 'not offered', about: expect.stringContaining('frontmatter') }),
  )
  expect(await ask(client, 'instructions', { item: 'bake' })).toEqual({ text: 'Knead it.' })
  expect(await client.fails('panel.run', { panel: 'skills', method: 'instructions', item: 'none', input: {} })).toMatchObject({
    data: { code: 'SKILL_NOT_FOUND' },
  })
})

test('a toolset that is turned off is off in the settings, and every page is told', async () => {
  await using stage = await openChatStage()
  const [one, two] = [stage.connect(), stage.connect()]
  const before = (await rowsOf(two, 'toolsets')).find(({ isOn }) => isOn)
  const id = String(before?.id)
  expect(await ask(one, 'turnOff', { item: id })).toEqual({ said: expect.stringContaining('is off') })
  expect(stage.home.read('config.yaml')).toContain('enabled: false')
  expect((await rowsOf(two, 'toolsets')).find((row) => row.id === id)).toMatchObject({ state: 'off', isOn: false, isOff: true })
  expect([one.changed, two.changed]).toEqual([['skills'], ['skills']])
  await ask(one, 'turnOn', { item: id })
  expect((await rowsOf(two, 'toolsets')).find((row) => row.id === id)).toMatchObject({ isOn: true })
})

test('a skill of others is looked at, installed when somebody agrees, offered to the agent, and removed', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const file = join(stage.home.home, 'tea.tgz')
  const page = '---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n'
  writeFileSync(file, writePackage({ 'SKILL.md': page, 'run.sh': 'boil' }))
  await ask(client, 'look', { input: { source: `file:${file}` } })
  const [offer] = await rowsOf(client, 'offered')
  expect(offer).toMatchObject({ name: 'tea', verdict: 'caution', findings: 'run.sh is a script, which the agent may run' })
  const item = String(offer?.item)
  expect(await client.fails('panel.run', { panel: 'skills', method: 'install', input: {}, item })).toMatchObject({
    data: { code: 'SKILL_REFUSED' },
  })
  writeFileSync(file, writePackage({ 'SKILL.md': page, 'run.sh': 'boil something else' }))
  expect(await client.fails('panel.run', { panel: 'skills', method: 'installAgreed', input: {}, item })).toMatchObject({
    message: expect.stringContaining('look at it again'),
  })
  await ask(client, 'look', { input: { source: `file:${file}` } })
  const [other] = await rowsOf(client, 'offered')
  expect(await ask(client, 'installAgreed', { item: String(other?.item) })).toEqual({ said: 'tea is installed.' })
  expect(await rowsOf(client, 'installed')).toMatchObject([{ name: 'tea', state: 'the same', verdict: 'caution' }])
  expect(await rowsOf(client, 'skills')).toContainEqual({ name: 'tea', state: 'offered', about: 'Makes tea.', from: 'home' })
  expect(await ask(client, 'remove', { item: 'tea' })).toEqual({ said: 'tea is removed.' })
  expect(await rowsOf(client, 'installed')).toEqual([])
  expect((await rowsOf(client, 'skills')).map(({ name }) => name)).not.toContain('tea')
})

test('a change that the agent wants to make is looked at, and made or dropped', async () => {
  await using stage = await openChatStage()
  const client = stage.connect()
  const about = { owner: 'owner', at: 1_700_000_000_000, session: 'ses_1', before: null }
  for (const [id, skill] of [
    ['skl_one', 'tea'],
    ['skl_two', 'milk'],
  ] as const) {
    const text = `---\nname: ${skill}\ndescription: Makes ${skill}.\n---\nWarm it.\n`
    stage.home.write(`pending/skills/${id}.json`, JSON.stringify({ id, ...about, change: { action: 'create', skill, text } }))
  }
  expect(await rowsOf(client, 'proposals')).toMatchObject([
    { id: 'skl_one', change: 'make the skill tea' },
    { id: 'skl_two', change: 'make the skill milk' },
  ])
  expect(await ask(client, 'difference', { item: 'skl_one' })).toMatchObject({ text: expect.stringContaining('+Warm it.') })
  expect(await ask(client, 'approve', { item: 'skl_one' })).toEqual({ said: 'It is done: make the skill tea.' })
  expect(await ask(client, 'reject', { item: 'skl_two' })).toEqual({ said: 'It is dropped: make the skill milk.' })
  expect(await rowsOf(client, 'proposals')).toEqual([])
  const names = (await rowsOf(client, 'skills')).map(({ name }) => name)
  expect([names.includes('tea'), names.includes('milk')]).toEqual([true, false])
})
