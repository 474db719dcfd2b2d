import { expect, test } from 'vitest'
import { defaultConfig } from '#config/schema/defaults.ts'
import { openInboxRig } from '../testing/inbox-rig.ts'

const quoted = '> Thinking: It is\n> MEDIA :x.\n\nthink!'

test('/reasoning shows what the model thinks before its answer and sets how hard it does, in that conversation alone', async () => {
  await using rig = await openInboxRig({ variables: { TALK_ALLOWED_USERS: 'ann,bob' } })
  await rig.say('think')
  await expect.poll(rig.sent).toEqual(['think!'])
  await rig.say('/reasoning show')
  await rig.say('/reasoning high')
  await expect.poll(async () => (await rig.sent()).at(-1)).toBe('Thinking: high; shown.')
  await rig.say('think')
  await expect.poll(async () => (await rig.sent()).at(-1)).toBe(quoted)
  expect(rig.asked.map(({ reasoning }) => reasoning)).toEqual([undefined, 'high'])
  await rig.say('think', { conversation: { id: 'bob', kind: 'dm' }, sender: { id: 'bob', name: 'Bob', isBot: false } })
  await expect.poll(async () => (await rig.sent()).at(-1)).toBe('think!')
  expect(rig.asked.at(-1)?.reasoning).toBeUndefined()
})

test('display.show_reasoning shows it everywhere, but not of work in the background', async () => {
  await using rig = await openInboxRig({ config: { display: { ...defaultConfig.display, show_reasoning: true } } })
  await rig.say('think')
  await expect.poll(rig.sent).toEqual([quoted])
  await rig.say('/background think')
  await expect.poll(async () => (await rig.sent()).at(-1)).toBe('Done in the background: think\n\nthink!')
  await rig.say('/reasoning hide')
  await rig.say('think')
  await expect.poll(async () => (await rig.sent()).at(-1)).toBe('think!')
})

test('a long thought is cut', async () => {
  const { quoteReasoning } = await import('./reasoning-choice.ts')
  expect(quoteReasoning('x'.repeat(5000))).toBe(`> Thinking: ${'x'.repeat(1500)}…\n\n`)
  expect(quoteReasoning('x'.repeat(1500))).toBe(`> Thinking: ${'x'.repeat(1500)}\n\n`)
  expect(quoteReasoning(' ')).toBe('')
})
