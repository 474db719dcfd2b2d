import {
  type AuxiliaryModels,
  type CompressRequest,
  type Context,
  estimateTokens,
  findCompressedMisfit,
  type ModelMessage,
} from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import engine from './engine.ts'

const call = { id: 'call', signal: new AbortController().signal, deadline: 1000 }
const user = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
const answer = (text: string): ModelMessage => ({ role: 'assistant', parts: [{ type: 'text', text }] })
const step = (id: string, output: string): readonly ModelMessage[] => [
  { role: 'assistant', parts: [{ type: 'call', id, name: 'read_file', args: `{"path":"${id}.txt"}` }] },
  { role: 'tool', results: [{ id, name: 'read_file', ok: true, text: output }] },
]
const turn = (name: string, output = 'sea '.repeat(300)): readonly ModelMessage[] => [
  user(`Do ${name}`),
  ...step(name, output),
  answer(`${name} is done. ${'word '.repeat(60)}`),
]
const talk = Array.from({ length: 20 }, (_, at) => turn(`task${at}`)).flat()
const requestOf = (messages: readonly ModelMessage[], more: Partial<CompressRequest> = {}): CompressRequest => ({
  ...{ messages, room: 3000, window: 16_000, keepFirst: 2, keepLast: 6, reason: 'threshold' },
  ...more,
})

async function open(ask: AuxiliaryModels['ask']) {
  const clock = createFakeClock()
  const questions: string[] = []
  const warned: string[] = []
  const models: AuxiliaryModels = {
    ask: (request, own) => {
      questions.push(request.text)
      return ask(request, own)
    },
  }
  const log = { warn: (message: string) => void warned.push(message) }
  const opened = await engine.open({ models, clock, log } as unknown as Context, call)
  const compress = async (request: CompressRequest): Promise<readonly ModelMessage[]> => {
    const { messages } = await opened.compress(request, call)
    expect(findCompressedMisfit(request.messages, { messages })).toBeUndefined()
    expect(estimateTokens(messages)).toBeLessThanOrEqual(request.room)
    return messages
  }
  return { compress, questions, warned, clock }
}

const text = (messages: readonly ModelMessage[]): string => JSON.stringify(messages)

test('old output goes first, and where that is enough no model is asked', async () => {
  const { compress, questions } = await open(async () => 'notes')
  const long = [...turn('big', 'x'.repeat(20_000)), ...turn('small', 'short'), user('next')]
  const kept = await compress(requestOf(long, { keepLast: 3 }))
  expect(questions).toEqual([])
  expect(text(kept)).toContain('[The output of read_file is left out here: 20000 characters.]')
  expect(kept).toHaveLength(long.length)
})

test('notes stand in for the middle, as background; the next ones go on with them', async () => {
  let round = 0
  const { compress, questions } = await open(async () => `## Goal\nround ${++round}`)
  const once = await compress(requestOf([...talk, user('and now?')]))
  expect(text(once)).toContain('[Background: notes on the earlier part of this conversation')
  expect(once.at(-1)).toEqual(user('and now?'))
  expect(questions[0]).toContain('[Person] Do task3')
  const twice = await compress(requestOf([...once, answer('yes'), ...talk, user('go on')], { focus: 'the boats' }))
  expect(questions[1]).toContain(
    'The notes so far. Keep what still holds, move what is finished now to Done, add what is new:\n\n## Goal\nround 1',
  )
  expect(questions[1]).toContain('The person wants this to be kept above all: the boats')
  expect(text(twice).match(/\[Background/g)).toHaveLength(1)
  expect(text(twice)).toContain('round 2')
})

test('a long turn keeps the words that it works on, and its last step', async () => {
  const { compress } = await open(async () => 'notes')
  const work = Array.from({ length: 40 }, (_, at) => step(`f${at}`, 'sea '.repeat(200))).flat()
  const kept = await compress(requestOf([...talk.slice(0, 8), user('Read all of it.'), ...work]))
  expect(text(kept)).toContain('Read all of it.')
  expect(kept.slice(-2)).toEqual(work.slice(-2))
})

test('one output that is larger than the room is cut in its middle', async () => {
  const { compress } = await open(async () => 'notes')
  const kept = await compress(requestOf([...talk, user('Read it.'), ...step('book', `begin ${'x'.repeat(90_000)} end`)]))
  expect(text(kept.slice(-1))).toMatch(/begin x+.*… \d+ characters ….*x+ end/)
})

test('where no model answers notes are made by rule, and it is left alone for 60, 300 and 900 seconds', async () => {
  let fails = true
  const { compress, questions, warned, clock } = await open(async () => {
    if (fails) throw new Error('busy')
    return 'notes of a model'
  })
  const request = requestOf([...talk, user('and now?')])
  const byRule = await compress(request)
  expect(text(byRule)).toMatch(/- Asked and answered: Do task\d+ → task\d+ is done/)
  expect(text(byRule)).toContain('## Files')
  expect([questions.length, warned.length]).toEqual([1, 1])
  for (const [seconds, asked] of [
    [59, 1],
    [2, 2],
    [299, 2],
    [2, 3],
    [899, 3],
    [2, 4],
  ] as const) {
    await clock.advance(seconds * 1000)
    await compress(request)
    expect(questions).toHaveLength(asked)
  }
  await compress({ ...request, reason: 'overflow' })
  await compress({ ...request, reason: 'overflow' })
  expect(questions).toHaveLength(5)
  fails = false
  await clock.advance(901_000)
  expect(text(await compress(request))).toContain('notes of a model')
  await compress(request)
  expect(questions).toHaveLength(7)
})

test('notes by rule say of the request that is worked on that it is in progress, whatever was said to it, and of the others that they are done', async () => {
  const { compress } = await open(async () => '')
  const work = Array.from({ length: 40 }, (_, at) => step(`f${at}`, 'sea '.repeat(200))).flat()
  const kept = text(await compress(requestOf([...talk, user('Read all of it.'), answer('I begin.'), ...work])))
  expect(kept).toMatch(/### Done\\n(?:(?!###).)*Do task19 → task19 is done(?:(?!###).)*### In progress\\n- Asked: Read all of it\.\\n/)
  expect(kept.match(/Read all of it/g)).toHaveLength(2)
  const over = text(await compress(requestOf([...talk, user('and now?')])))
  expect(over).not.toContain('In progress')
})

test('where only a model may write notes its failure is told', async () => {
  const { compress } = await open(async () => '   ')
  const request = requestOf([...talk, user('and now?')], { onlyByModel: true })
  await expect(compress(request)).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: expect.stringContaining('the answer was empty') })
  await expect(compress(request)).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
})
