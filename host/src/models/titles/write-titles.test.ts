import type { ModelMessage, TurnRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { Sessions } from '#store/sessions.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { AuxiliaryAsk } from '../auxiliary.ts'
import { createTitles } from './write-titles.ts'

const hello: TurnRequest = { input: [], source: 'cli', canAnswer: true }
const say = (role: 'user' | 'assistant', text: string): ModelMessage => ({ role, parts: [{ type: 'text', text }] })
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const create = { source: 'cli', provider: 'p', model: 'm', system: '', tools: '[]' }

async function openStage(answer: (ask: AuxiliaryAsk) => Promise<string> = async () => 'Trip to Oslo') {
  const place = await createTemporaryStore()
  const { sessions } = await place.open()
  const asked: AuxiliaryAsk[] = []
  const now = { wanted: true }
  const told: string[] = []
  const titles = createTitles({
    sessions,
    ask: async (ask) => {
      asked.push(ask)
      return answer(ask)
    },
    wanted: () => now.wanted,
    log: silentLog,
  })
  titles.onTitled((session, title) => void told.push(`${session} ${title}`))
  const end = async (id: string, request = hello, status: 'complete' | 'failed' = 'complete'): Promise<void> => {
    const stored = await sessions.find(id)
    titles.begins(id)
    await sessions.commit({
      session: { id, create },
      messages: [say('user', 'Where to?'), say('assistant', 'Oslo.')],
      usage,
      calls: 1,
      at: 1,
    })
    titles.ended({ session: id, request }, stored, { status })
  }
  return { titles, sessions, asked, told, now, end, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

const titleOf = async (sessions: Sessions, id: string) => {
  const { title, titledBy } = (await sessions.find(id)) ?? {}
  return [title, titledBy]
}

test('a conversation of a person gets a title once, of its beginning, and one that is taken gets the next number', async () => {
  await using stage = await openStage()
  await stage.end('ses_a')
  await stage.end('ses_b')
  await expect.poll(() => stage.told).toEqual(['ses_a Trip to Oslo', 'ses_b Trip to Oslo #2'])
  expect(await titleOf(stage.sessions, 'ses_a')).toEqual(['Trip to Oslo', 'model'])
  await stage.end('ses_a')
  await stage.titles.close()
  expect(stage.asked).toHaveLength(2)
  expect(stage.asked[0]).toMatchObject({ task: 'title_generation', request: { tools: [], maxOutputTokens: 100 } })
  expect(stage.asked[0]?.request.messages).toEqual([say('user', '{"person":"Where to?","agent":"Oslo."}')])
  expect(await stage.asked[0]?.fits?.({ provider: 'offline', model: 'offline' })).toBe(false)
})

test('nobody is asked where titles are off, for programs, for turns that failed and for long conversations', async () => {
  await using stage = await openStage()
  await stage.end('ses_a', hello, 'failed')
  await stage.end('ses_b', { ...hello, canAnswer: false })
  await stage.end('ses_c', { ...hello, store: false })
  await stage.end('ses_d', { ...hello, history: [] })
  stage.now.wanted = false
  await stage.end('ses_e')
  for (let turn = 0; turn < 7; turn++) await stage.end('ses_f')
  stage.now.wanted = true
  await stage.end('ses_f')
  await stage.titles.close()
  expect(stage.asked).toEqual([])
})

test('a title of a person stays, also when it comes while a model writes one', async () => {
  let answer = (_title: string): void => undefined
  await using stage = await openStage(() => new Promise((resolve) => (answer = resolve)))
  await stage.end('ses_a')
  await expect.poll(() => stage.asked.length).toBe(1)
  await stage.sessions.rename('ses_a', 'Holidays')
  answer('Trip to Oslo')
  await stage.titles.close()
  expect(await titleOf(stage.sessions, 'ses_a')).toEqual(['Holidays', 'person'])
  expect(stage.told).toEqual([])
  expect(await stage.sessions.suggestTitle('ses_gone', 'Trip')).toBeUndefined()
})

test('the next turn and the end of the program give up a title that is being written; it is asked for again after the turn', async () => {
  let isSlow = true
  await using stage = await openStage(async ({ signal }) => {
    if (isSlow) await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(fail('INTERRUPTED')), { once: true }))
    return 'Trip to Oslo'
  })
  await stage.end('ses_a')
  await expect.poll(() => stage.asked.length).toBe(1)
  stage.titles.begins('ses_a')
  expect(stage.asked[0]?.signal.aborted).toBe(true)
  isSlow = false
  await stage.end('ses_a')
  await expect.poll(() => titleOf(stage.sessions, 'ses_a')).toEqual(['Trip to Oslo', 'model'])
  isSlow = true
  await stage.end('ses_b')
  await expect.poll(() => stage.asked.length).toBe(3)
  await stage.titles.close()
  expect(await titleOf(stage.sessions, 'ses_b')).toEqual([null, null])
})

test('a model that fails or says something else leaves a session without a title, and the next session gets one', async () => {
  const answers = [Promise.reject(fail('NO_PROVIDER')), Promise.resolve('I am sorry, but I cannot do that for you, because I am a model.')]
  for (const each of answers) each.catch(() => undefined)
  await using stage = await openStage(() => answers.shift() ?? Promise.resolve('Trip to Oslo'))
  for (const id of ['ses_a', 'ses_b', 'ses_c']) await stage.end(id)
  await expect.poll(() => stage.told).toEqual(['ses_c Trip to Oslo'])
})

test('of many sessions that wait at once only some are asked about', async () => {
  let goOn = (): void => undefined
  const held = new Promise<string>((resolve) => (goOn = () => resolve('Trip to Oslo')))
  await using stage = await openStage(() => held)
  for (let count = 0; count < 12; count++) await stage.end(`ses_${count}`)
  goOn()
  await expect.poll(() => stage.told.length).toBe(8)
  await stage.titles.close()
  expect(stage.asked).toHaveLength(8)
})
