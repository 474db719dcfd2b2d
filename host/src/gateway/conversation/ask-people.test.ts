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

const approval = { type: 'approval.request', id: 'q2', tool: 'terminal', subject: 'rm x', reason: 'It deletes.' } as const
const withButtons = { capabilities: { buttons: true }, limits: { buttons: 2 } }

interface Given {
  readonly isKnown?: boolean
  readonly admins?: readonly string[]
  /** How many messages a question takes. */
  readonly parts?: number
  readonly errors?: unknown[]
  /** Nothing can be written. */
  readonly isFull?: boolean
  /** Notifiers cannot be told. */
  readonly isDeaf?: boolean
}

/** One open question of a turn, and what was said in its conversation. */
async function open(
  answer: (id: string, value: string) => Promise<boolean> = async () => true,
  event: TurnEvent = which,
  spec?: object,
  { isKnown = true, admins = [], parts = 1, errors = [], isFull = false, isDeaf = false }: Given = {},
) {
  const buttons: string[] = []
  const said: string[] = []
  const messages: object[] = []
  const answered: string[] = []
  const announced: object[] = []
  const people = createAskPeople({
    journal: {
      say: async (_: Claim, parts: readonly { text: string; buttons?: readonly { id: string }[] }[]) => {
        if (isFull) throw new Error('full')
        messages.push(...parts)
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
    replies: {
      parts: async (_: Claim, text: string) => Array.from({ length: parts }, (_each, at) => ({ text: at === 0 ? text : `${at}` })),
    },
    catalog: { find: () => (spec ? { spec } : undefined), of: () => [] },
    services: { skills: { known: () => [] } },
    rules: { of: () => ({ settings: { allow_admin_from: admins, group_allow_admin_from: [] } }) },
    reception: { isKnown: () => isKnown },
    home: { profile: 'default' },
    notifiers: {
      announce: async (event: object) => {
        if (isDeaf) throw new Error('deaf')
        announced.push(event)
      },
    },
    clock: createFakeClock(),
    log: { ...silentLog, error: (_: string, fields: unknown) => errors.push(fields) },
  } as unknown as AskPeopleOptions)
  people.hear(claim, event)
  await expect.poll(() => said.length + answered.length + errors.length).toBeGreaterThan(0)
  return { people, answered, buttons, said, messages, announced }
}
const reply = (text: string, more: Partial<InboundMessage> = {}): InboundMessage => ({ ...message, id: '2', text, ...more })

test('notifiers hear of each question once, with the text that people see, and of none that is refused or cannot be put', async () => {
  const { people, announced } = await open(undefined, { ...approval, choices: ['once', 'deny'] }, withButtons)
  await expect.poll(() => announced).toHaveLength(1)
  const [waiting] = people.waiting.list()
  expect(announced).toEqual([
    {
      ...{
        id: waiting?.id,
        question: waiting?.id,
        at: createFakeClock().now(),
        name: 'question.waiting',
        origin: 'agent:main:talk:dm:bot:ann',
      },
      data: { kind: 'approval', text: 'May I do this? It deletes.\n```\nrm x\n```' },
    },
  ])
  expect((await open(undefined, { ...approval, choices: ['once', 'deny'] }, undefined, { isKnown: false })).announced).toEqual([])
  expect((await open(undefined, which, undefined, { isFull: true })).announced).toEqual([])
  const errors: unknown[] = []
  const deaf = await open(undefined, which, undefined, { isDeaf: true, errors })
  await expect.poll(() => errors).toHaveLength(1)
  expect(await deaf.people.reply('talk', reply('1'))).toBe('Understood: red')
})

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
  const errors: unknown[] = []
  const { people, messages, answered } = await open(undefined, { ...which, choices: [] }, spec, { errors })
  expect(messages).toEqual([{ text: 'Which colour?' }])
  people.hear(claim, { type: 'message.delta', text: 'green' })
  expect(await people.reply('talk', reply('green'))).toBeDefined()
  expect([answered, errors]).toEqual([['q1 green'], []])
})

test('what a stranger would have allowed is denied at once, unless there is an admin to ask', async () => {
  const asked = { ...approval, choices: ['once', 'deny'] } as const
  const alone = await open(undefined, asked, undefined, { isKnown: false })
  expect([alone.answered, alone.said]).toEqual([['q2 deny'], []])
  const { people, answered } = await open(undefined, asked, undefined, { isKnown: false, admins: ['root'] })
  expect(await people.reply('talk', reply('yes'))).toBeUndefined()
  expect(await people.reply('talk', reply('yes', { sender: { id: 'root', isBot: false } }))).toBe('Allowed once.')
  expect(answered).toEqual(['q2 once'])
  const words = await open(undefined, which, undefined, { isKnown: false })
  expect(await words.people.reply('talk', reply('green'))).toBe('')
  expect(words.answered).toEqual(['q1 green'])
})

test('buttons stand below the last message of a question, where the platform has so many', async () => {
  const { buttons, said } = await open(undefined, which, withButtons, { parts: 3 })
  expect([said, buttons.length]).toEqual([['Which colour?', '1', '2'], 2])
  expect((await open(undefined, { ...which, choices: ['a', 'b', 'c'] } as TurnEvent, withButtons)).buttons).toEqual([])
  expect((await open(undefined, which, { ...withButtons, capabilities: { buttons: false } })).buttons).toEqual([])
})

test('a button of somebody else, of another conversation or of no question answers nothing', async () => {
  const { people, buttons, answered } = await open(undefined, which, withButtons)
  const [button = ''] = buttons
  const press = (more: object) => people.press('talk', { ...message, button, ...more } as never)
  expect(await press({ sender: { id: 'eve', isBot: false } })).toMatchObject({ status: 'refused' })
  const late = { status: 'late', text: 'This question is not open any more.' }
  expect(await press({ account: 'second' })).toEqual(late)
  expect(await press({ button: button.replace(/0$/, '7') })).toEqual(late)
  expect(await press({ button: 'x' })).toEqual(late)
  expect(answered).toEqual([])
})

test('a button that is pressed when the turn waits no more is too late', async () => {
  const { people, buttons } = await open(async () => false, which, withButtons)
  const press = { ...message, button: buttons[0] ?? '' } as never
  for (let times = 0; times < 2; times++)
    expect(await people.press('talk', press)).toEqual({ status: 'late', text: 'This question is not open any more.' })
})

test('where one turn waits no more the next question is answered', async () => {
  const { people, answered } = await open(async (id) => id !== 'q1', { ...approval, id: 'q1', choices: ['once'] } as TurnEvent)
  people.hear({ ...claim, seq: 2 }, { ...approval, choices: ['once'] } as TurnEvent)
  expect(await people.decide('talk', reply('/approve'), 'session')).toBeUndefined()
  expect(await people.decide('talk', reply('/approve'), 'once')).toBe('Allowed once.')
  expect(answered).toEqual(['q1 once', 'q2 once'])
})

test('of two hundred answers it is remembered what they were', async () => {
  const { people, buttons } = await open(undefined, which, withButtons)
  for (let seq = 2; seq <= 202; seq++) people.hear({ ...claim, seq }, { ...which, id: `q${seq}` } as TurnEvent)
  await expect.poll(() => buttons.length).toBe(2 * 202)
  const press = (at: number) => people.press('talk', { ...message, button: buttons[2 * at] ?? '' } as never)
  for (let at = 0; at < 200; at++) await press(at)
  expect(await press(0)).toMatchObject({ text: 'This was answered already: Understood: red' })
  await press(200)
  expect(await press(0)).toMatchObject({ text: 'This question is not open any more.' })
  expect(await press(1)).toMatchObject({ text: 'This was answered already: Understood: red' })
})

test('a question that could not be asked is in the log', async () => {
  const errors: unknown[] = []
  const gone = () => Promise.reject(new Error('gone'))
  await open(gone, { ...approval, choices: ['once'] } as TurnEvent, undefined, { isKnown: false, errors })
  await expect.poll(() => errors).toEqual([{ platform: 'talk', error: 'Error: gone' }])
  await open(undefined, which, undefined, { isFull: true, errors })
  await expect.poll(() => errors.at(-1)).toEqual({ platform: 'talk', error: 'Error: full' })
})

test('the owner of the machine sees what waits and answers it, by a choice that there is, once', async () => {
  const { people, answered } = await open()
  const [waiting] = people.waiting.list()
  expect(waiting).toMatchObject({ type: 'clarify', platform: 'talk', conversation: 'ann', person: 'ann', choices: ['red', 'blue'] })
  const { id = '' } = waiting ?? {}
  expect(await people.waiting.answer(id, 'green')).toBe('unfit')
  expect(await people.waiting.answer(id, 'red')).toBe('taken')
  expect(await people.waiting.answer(id, 'red')).toBe('late')
  expect([answered, people.waiting.list()]).toEqual([['q1 red'], []])
})
