import type { InboundMessage, TurnEvent } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { Claim } from '#store/journal.ts'
import { type AskPeopleOptions, createAskPeople } from './ask-people.ts'

const message: InboundMessage = {
  ...{ id: '1', account: 'bot', text: 'paint it', addressed: true },
  conversation: { id: 'ann', kind: 'dm' },
  sender: { id: 'ann', isBot: false },
}
const claim = { platform: 'talk', message, seq: 1 } as Claim
const which: TurnEvent = { type: 'clarify.request', id: 'q1', question: 'Which colour?', choices: ['red', 'blue'] }

/** One open question of a turn, and what was said in its conversation. */
async function open(answer: (id: string, value: string) => Promise<boolean> = async () => true, event = which, spec?: object) {
  const buttons: string[] = []
  const said: string[] = []
  const answered: string[] = []
  const people = createAskPeople({
    journal: {
      say: async (_: Claim, parts: readonly { text: string; buttons?: readonly { id: string }[] }[]) => {
        said.push(...parts.map(({ text }) => text))
        buttons.push(...parts.flatMap((part) => part.buttons?.map(({ id }) => id) ?? []))
      },
    },
    turns: {
      answer: async (id: string, value: string) => {
        answered.push(`${id} ${value}`)
        return answer(id, value)
      },
    },
    replies: { parts: async (_: Claim, text: string) => [{ text }] },
    catalog: { find: () => (spec ? { spec } : undefined), of: () => [] },
    rules: { of: () => ({ settings: { allow_admin_from: [], group_allow_admin_from: [] } }) },
    reception: { isKnown: () => true },
    clock: createFakeClock(),
    log: silentLog,
  } as unknown as AskPeopleOptions)
  people.hear(claim, event)
  await expect.poll(() => said.length).toBe(1)
  return { people, answered, buttons }
}
const reply = (text: string, more: Partial<InboundMessage> = {}): InboundMessage => ({ ...message, id: '2', text, ...more })

test('a command is no answer to a question that takes any words', async () => {
  const { people, answered } = await open()
  expect(people.expects('talk', reply('/status'))).toBe(false)
  expect(await people.reply('talk', reply('/status'))).toBeUndefined()
  expect(people.expects('talk', reply('green'))).toBe(true)
  expect(await people.reply('talk', reply('green'))).toBe('')
  expect(answered).toEqual(['q1 green'])
  expect(people.expects('talk', reply('green'))).toBe(false)
})

test('who answers elsewhere, by another account or as somebody else, answers nothing', async () => {
  const { people, answered } = await open()
  for (const [platform, more] of [
    ['other', {}],
    ['talk', { account: 'second' }],
    ['talk', { conversation: { id: 'room', kind: 'group' } }],
    ['talk', { sender: { id: 'eve', isBot: false } }],
  ] as const)
    expect(await people.reply(platform, reply('1', more))).toBeUndefined()
  expect(answered).toEqual([])
})

test('a turn that waits no more takes no answer, and the words go to the agent', async () => {
  const { people } = await open(async () => false)
  expect(await people.reply('talk', reply('1'))).toBeUndefined()
})

test('/approve decides approvals, and no other question', async () => {
  expect(await (await open()).people.decide('talk', reply('/approve'), 'red')).toBeUndefined()
  const approval = { type: 'approval.request', id: 'q2', tool: 'terminal', subject: 'rm x', reason: 'It deletes.' } as const
  const { people, answered } = await open(undefined, { ...approval, choices: ['once', 'deny'] })
  expect(await people.decide('talk', reply('/approve'), 'once')).toBe('Allowed once.')
  expect(answered).toEqual(['q2 once'])
})

test('the questions of a turn that is over are forgotten, those of others are not', async () => {
  const { people } = await open()
  people.close({ ...claim, seq: 2 })
  expect(people.expects('talk', reply('1'))).toBe(true)
  people.close(claim)
  expect(people.expects('talk', reply('1'))).toBe(false)
})

test('a second answer is told what the first one was', async () => {
  const spec = { capabilities: { buttons: true }, limits: { buttons: 5 } }
  const { people, buttons, answered } = await open(undefined, which, spec)
  const press = { ...message, button: buttons[1] ?? '' } as unknown as Parameters<typeof people.press>[1]
  expect(await people.press('talk', press)).toEqual({ status: 'taken', text: 'Understood: blue' })
  expect(await people.press('talk', { ...press, button: buttons[0] ?? '' })).toEqual({
    status: 'late',
    text: 'This was answered already: Understood: blue',
  })
  expect(answered).toEqual(['q1 blue'])
})

test('a question that takes any words has no buttons, and what is no question is not asked', async () => {
  const spec = { capabilities: { buttons: true }, limits: { buttons: 5 } }
  const { people, buttons, answered } = await open(undefined, { ...which, choices: [] }, spec)
  expect(buttons).toEqual([])
  people.hear(claim, { type: 'message.delta', text: 'green' })
  expect(await people.reply('talk', reply('green'))).toBeDefined()
  expect(answered).toEqual(['q1 green'])
})
