import type { ModelErrorClass, ModelEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { mayEndWith, withoutRepeats } from './seam.ts'
import { callEvent, end, hello, last, text, world } from './testing/turn-world.ts'

const said = 'The quick brown fox jumps over the lazy dog, and'

async function join(deltas: readonly string[]): Promise<string> {
  async function* events(): AsyncIterable<ModelEvent> {
    yield* deltas.map(text)
    yield end()
  }
  let joined = said
  for await (const event of withoutRepeats(said, events())) if (event.type === 'text') joined += event.delta
  return joined
}

const whole = `${said} then it sleeps for the rest of the day.`

test.each([
  ['goes on', [' then it sleeps', ' for the rest of the day.']],
  ['goes on in few words', [' then', ' it', ' sleeps for the rest of the day.']],
  ['repeats the last words', ['the lazy dog, and then it sleeps', ' for the rest of the day.']],
  ['repeats many of the last words', ['ck brown fox jumps over the lazy dog,', ' and then it sleeps', ' for the rest of the day.']],
  ['repeats the last words, and then goes on', ['the lazy dog, and', ' then it sleeps', ' for the rest of the day.']],
  ['begins again', [whole]],
  ['begins again, letter by letter', [...whole]],
])('an answer that %s is read once', async (_how, deltas) => {
  expect(await join(deltas)).toBe(whole)
})

test('what comes after a repetition is passed on as it comes', async () => {
  const heard: string[] = []
  const deltas = ['the lazy dog, and', ' then', ' it sleeps.']
  async function* events(): AsyncIterable<ModelEvent> {
    for (const [index, delta] of deltas.entries()) {
      expect(heard).toEqual(index < 2 ? [] : [' then'])
      yield text(delta)
    }
    yield end()
  }
  for await (const event of withoutRepeats(said, events())) if (event.type === 'text') heard.push(event.delta)
  expect(heard).toEqual([' then', ' it sleeps.'])
})

test('thoughts before an answer that begins again do not hide that', async () => {
  const thought: ModelEvent = { type: 'reasoning', delta: 'Let me see.' }
  async function* events(): AsyncIterable<ModelEvent> {
    yield* [thought, text(whole), end()]
  }
  const found: ModelEvent[] = []
  for await (const event of withoutRepeats(said, events())) found.push(event)
  expect(found).toEqual([thought, text(whole.slice(said.length)), end()])
})

test('words of the middle that come again are no repetition', async () => {
  const next = ' brown fox jumps over the lazy bear.'
  expect(await join([next.slice(0, 20), next.slice(20)])).toBe(said + next)
})

test('what is repeated when the answer is cut once more is not shown', async () => {
  const { run } = world([
    [text('The quick brown fox jumps'), failed('disconnected')],
    [text('quick brown'), failed('disconnected')],
    [text('brown fox jumps over the dog.'), end()],
  ])
  const events = await run()
  expect(textOf(events)).toBe('The quick brown fox jumps over the dog.')
  expect(last(events)).toMatchObject({ text: 'The quick brown fox jumps over the dog.', status: 'complete' })
})

test('a short beginning that is said again is read once', async () => {
  const { run } = world([
    [text('Well,'), failed('disconnected')],
    [text('Well, it is.'), end()],
  ])
  expect(textOf(await run())).toBe('Well, it is.')
})

test('a short word that is the same at the seam is chance', async () => {
  expect(await join(['d then it sleeps for the rest of it.'])).toBe(`${said}d then it sleeps for the rest of it.`)
})

test('where a second beginning goes another way, what is new of it is kept', async () => {
  expect(await join(['The quick brown fox jumps and then it sleeps.'])).toBe(`${said}and then it sleeps.`)
})

const failed = (kind: ModelErrorClass, code = 'MODEL_DISCONNECTED'): ModelEvent => ({
  type: 'failed',
  class: kind,
  error: { code, params: { provider: 'script', detail: 'no' } },
})
const textOf = (events: readonly { type: string }[]): string =>
  events.map((event) => (event.type === 'message.delta' && 'text' in event ? event.text : '')).join('')

test('an answer that was cut in the middle goes on, is shown once and is stored as one', async () => {
  const { run, asked, commits } = world([
    [text('The quick brown fox'), failed('disconnected')],
    [text(' jumps over the lazy dog.'), end()],
  ])
  const events = await run()
  expect(textOf(events)).toBe('The quick brown fox jumps over the lazy dog.')
  expect(last(events)).toMatchObject({ status: 'complete', text: 'The quick brown fox jumps over the lazy dog.' })
  expect(asked[1]?.messages.slice(-2)).toMatchObject([
    { role: 'assistant', parts: [{ type: 'text', text: 'The quick brown fox' }] },
    { role: 'user', parts: [{ type: 'text', text: expect.stringContaining('Go on exactly where it stops') }] },
  ])
  expect(commits[0]?.messages.slice(1)).toEqual([
    { role: 'assistant', parts: [{ type: 'text', text: 'The quick brown fox jumps over the lazy dog.' }] },
  ])
})

test('it may be cut more than once, and end in calls', async () => {
  const { run, commits } = world([
    [text('One, '), failed('disconnected')],
    [text('two, '), failed('timeout', 'MODEL_TIMEOUT')],
    [text('three.'), callEvent('c1'), end('tool-calls')],
    [text('Done.'), end()],
  ])
  expect(textOf(await run())).toBe('One, two, three.Done.')
  expect(commits[0]?.messages[1]).toMatchObject({
    role: 'assistant',
    parts: [
      { type: 'text', text: 'One, two, three.' },
      { type: 'call', id: 'c1' },
    ],
  })
})

test('calls of an answer that was cut do not run', async () => {
  const ran: string[] = []
  const { run } = world(
    [
      [text('So'), callEvent('lost'), failed('disconnected')],
      [text(' it is.'), end()],
    ],
    ran,
  )
  expect(last(await run())).toMatchObject({ text: 'So it is.', status: 'complete' })
  expect(ran).toEqual([])
})

test('a model that has nothing to add, asked twice, has finished', async () => {
  const { run, asked } = world([[text('All said.'), failed('disconnected')], [end()], [end()]])
  expect(last(await run())).toMatchObject({ text: 'All said.', status: 'complete' })
  expect(asked).toHaveLength(3)
})

test('a model that adds nothing to half a sentence has not finished', async () => {
  const events = [[text('All of it is'), failed('disconnected')], ...Array.from({ length: 9 }, () => [end()])]
  expect(last(await world(events).run())).toMatchObject({ text: 'All of it is', status: 'failed' })
})

test.each([
  ...[
    ['Done.', true],
    ['Done! 🎉', true],
    ['(see there)', true],
    ['```\nlet a\n```\n', true],
    ['好了。', true],
  ],
  ...[
    ['', false],
    ['It is ', false],
    ['One,', false],
    ['as follows:\n', false],
    ['It – ', false],
    ['a (', false],
    ['然后，', false],
  ],
] as const)('%j may be the end: %j', (said, is) => {
  expect(mayEndWith(said)).toBe(is)
})

test('a service that was not well answers with nothing, and then goes on', async () => {
  const { run } = world([[text('All'), failed('disconnected')], [end()], [text(' said.'), end()]])
  expect(last(await run())).toMatchObject({ text: 'All said.', status: 'complete' })
})

test('what a model cannot go on with another one does, and at the end of the chain it stays as it is', async () => {
  const chain = [{ provider: 'near', model: 'one' }]
  const busy = failed('billing', 'MODEL_BILLING')
  const one = world(
    [
      [text('So far'), busy],
      [text(' so good.'), end()],
    ],
    [],
    { chain },
  )
  expect(last(await one.run())).toMatchObject({ text: 'So far so good.', status: 'complete' })
  const two = world(
    [
      [text('So far'), busy],
      [text(' so'), busy],
    ],
    [],
    { chain },
  )
  expect(last(await two.run())).toMatchObject({ text: 'So far so', status: 'failed' })
})

test('what must have a form begins again: nobody has seen it yet', async () => {
  const { run, asked } = world([
    [text('{"a":'), failed('disconnected')],
    [text('{"a":1}'), end()],
  ])
  const events = await run({ ...hello, responseFormat: { type: 'json' } })
  expect(textOf(events)).toBe('{"a":1}')
  expect(asked[1]?.messages).toHaveLength(1)
})

test('two letters that are the same are chance', async () => {
  async function* events(): AsyncIterable<ModelEvent> {
    yield* [text('Hills are high.'), end()]
  }
  const found: ModelEvent[] = []
  for await (const event of withoutRepeats('Hi', events())) found.push(event)
  expect(found).toEqual([text('Hills are high.'), end()])
})

test('what is repeated from the middle is held only where the answer was cut there', async () => {
  const joined = async (answer: string, last: ModelEvent): Promise<string> => {
    async function* events(): AsyncIterable<ModelEvent> {
      yield* [text(answer), last]
    }
    let heard = ''
    for await (const event of withoutRepeats(said, events())) if (event.type === 'text') heard += event.delta
    return heard
  }
  const six = 'ck bro'
  expect(await joined(six, failed('disconnected'))).toBe('')
  expect(await joined(six.slice(1), failed('disconnected'))).toBe(six.slice(1))
  expect(await joined(six, end())).toBe(six)
})

test('what only its provider understands hides no beginning either', async () => {
  const thought = { type: 'opaque', provider: 'script', data: 'x' } as unknown as ModelEvent
  async function* events(): AsyncIterable<ModelEvent> {
    yield* [thought, text(whole), end()]
  }
  const found: ModelEvent[] = []
  for await (const event of withoutRepeats(said, events())) found.push(event)
  expect(found).toEqual([thought, text(whole.slice(said.length)), end()])
})
