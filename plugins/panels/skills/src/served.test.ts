import type { PanelRecord } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { type ChatClient, openChatStage } from '../../../../test/support/chats/chat-stage.ts'

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
