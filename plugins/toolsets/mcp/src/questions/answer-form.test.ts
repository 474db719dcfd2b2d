import { expect, test } from 'vitest'
import { answerForm } from './answer-form.ts'
import { answerSample } from './answer-sample.ts'
import { createRunning, type RunningCall } from './running.ts'

const call = { id: 'call_1', signal: new AbortController().signal, deadline: 1000 }

/** A call whose person says these things, one after the other. */
function callOf(answers: readonly (string | Error)[]): { readonly running: RunningCall; readonly asked: string[] } {
  const asked: string[] = []
  const left = [...answers]
  const ask: RunningCall['toolCall']['ask'] = async ({ question, choices }) => {
    asked.push([question, ...choices].join(' | '))
    const next = left.shift() ?? new Error('nothing more is said')
    if (next instanceof Error) throw next
    return next
  }
  return { running: { server: 'desk', toolCall: { ask }, call, samples: 0 }, asked }
}

const form = (properties: Readonly<Record<string, object>>, required: readonly string[] = Object.keys(properties)) => ({
  message: 'Who are you?',
  requestedSchema: { properties, required },
})

test('each field is asked for and read as its schema says; what does not fit is asked again', async () => {
  const { running, asked } = callOf(['ann@', 'ann@example.org', '7.5', '7', 'Yes', 'the blue one', 'tea, milk', 'skip'])
  const request = form(
    {
      mail: { type: 'string', format: 'email', title: 'Address' },
      count: { type: 'integer', minimum: 1, maximum: 9 },
      sure: { type: 'boolean' },
      colour: { type: 'string', oneOf: [{ const: 'b', title: 'The blue one' }] },
      drinks: { type: 'array', items: { enum: ['tea', 'milk', 'gin'] } },
      note: { type: 'string', description: 'what else' },
    },
    ['mail', 'count', 'sure', 'colour', 'drinks'],
  )
  expect(await answerForm(request, running)).toEqual({
    action: 'accept',
    content: { mail: 'ann@example.org', count: 7, sure: true, colour: 'b', drinks: ['tea', 'milk'] },
  })
  expect(asked[0]).toBe('The MCP server desk asks: Who are you?\nAddress\nSay “decline” to tell nothing.')
  expect(asked[1]).toContain('That does not fit; it takes an email address.')
  expect(asked[3]).toContain('a whole number, at least 1, at most 9')
  expect(asked[4]).toMatch(/sure \| yes \| no \| Decline$/)
  expect(asked[7]).toContain('note: what else\nSay “skip” to leave it out.')
})

test('what the server proposes is shown, and taken by a word or left out; what does not fit its own field is not proposed', async () => {
  const { running, asked } = callOf(['default', 'DEFAULT', 'skip', 'default', 'no', 'Default', '5'])
  const request = form(
    {
      name: { type: 'string', default: 'Ann' },
      drinks: { type: 'array', items: { anyOf: [{ const: 't', title: 'tea' }, { const: 'm' }] }, default: ['t', 'm'] },
      note: { type: 'string', default: 'nothing' },
      sure: { type: 'boolean', default: true },
      again: { type: 'boolean', default: true },
      mode: { type: 'string', enum: ['fast', 'default'], default: 'fast' },
      count: { type: 'integer', default: 'many' },
    },
    ['name', 'drinks', 'sure', 'again', 'mode', 'count'],
  )
  expect(await answerForm(request, running)).toEqual({
    action: 'accept',
    content: { name: 'Ann', drinks: ['t', 'm'], sure: true, again: false, mode: 'default', count: 5 },
  })
  expect(asked[0]).toMatch(/name \[default: Ann\]\nSay “default” to take that. Say “decline” to tell nothing.$/)
  expect(asked[1]).toContain('drinks (some of tea, m) [default: tea, m]')
  expect(asked[2]).toContain('Say “default” to take that. Say “skip” to leave it out.')
  expect(asked[3]).toMatch(/sure \[default: yes\] \| yes \| no \| Decline$/)
  expect(asked[6]).toMatch(/count\nSay “decline”/)
})

test('a default is the value of an option, also where another option is called that', async () => {
  const { running, asked } = callOf(['default'])
  const request = form({
    way: {
      oneOf: [
        { const: 'a', title: 'b' },
        { const: 'b', title: 'a' },
      ],
      default: 'b',
    },
  })
  expect([await answerForm(request, running), asked[0]]).toEqual([
    { action: 'accept', content: { way: 'b' } },
    expect.stringContaining('way [default: a]'),
  ])
})

test.each<[string, readonly (string | Error)[], object]>([
  ['declined by a word', ['Decline'], { action: 'decline' }],
  ['cancelled where nobody can answer', [new Error('nobody is there')], { action: 'cancel' }],
  ['cancelled where nothing that is said fits', ['x', 'y', 'z', '3'], { action: 'cancel' }],
])('a form is %s', async (_name, answers, expected) => {
  expect(await answerForm(form({ count: { type: 'number' } }), callOf(answers).running)).toEqual(expected)
})

test('a question without fields is agreed to or declined, and only by who says so', async () => {
  const ask = (said: string) => answerForm({ message: 'May I?' }, callOf([said]).running)
  expect([await ask('agree'), await ask('hm')]).toEqual([{ action: 'accept', content: {} }, { action: 'decline' }])
  expect(await answerForm(form({}), undefined)).toEqual({ action: 'cancel' })
})

test('while calls of several conversations go on nobody is asked: a server does not say whom it means', () => {
  const running = createRunning()
  const begin = () => running.begin({ server: 'desk', toolCall: { ask: async () => '' }, call })
  const first = begin()
  expect(running.single()).toMatchObject({ server: 'desk' })
  const second = begin()
  expect(running.single()).toBeUndefined()
  second[Symbol.dispose]()
  expect(running.single()).toBeDefined()
  first[Symbol.dispose]()
  expect(running.single()).toBeUndefined()
})

test('a model is asked in text, with few tokens, and at most five times for one call', async () => {
  const { running } = callOf([])
  const told: object[] = []
  const models = { ask: async (request: object) => `answer ${told.push(request)}` }
  const wish = { messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], systemPrompt: 'Be short.', maxTokens: 1_000_000 }
  expect(await answerSample(wish, running, models)).toMatchObject({ role: 'assistant', content: { type: 'text', text: 'answer 1' } })
  const system = 'You answer a question of the MCP server desk. Be short.'
  expect(told).toEqual([{ task: 'mcp', system, text: 'user: Why?', maxOutputTokens: 4000 }])
  const image = { ...wish, messages: [{ role: 'user', content: { type: 'image', data: '' } }] }
  await expect(answerSample(image, running, models)).rejects.toThrow('in text alone')
  for (let more = 0; more < 3; more++) await answerSample(wish, running, models)
  await expect(answerSample(wish, running, models)).rejects.toThrow('at most 5 times')
  await expect(answerSample(wish, undefined, models)).rejects.toThrow('for one call')
  expect(told).toHaveLength(4)
})
