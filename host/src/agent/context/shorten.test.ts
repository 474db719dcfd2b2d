import { type CompressRequest, estimateTokens, type ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { defaultConfig } from '#config/schema/defaults.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { Rules } from '../rules/read-rules.ts'
import { roomOf } from './limits.ts'
import { type Long, shorten } from './shorten.ts'

const { signal } = new AbortController()
const user = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
const says = (text: string): ModelMessage => ({ role: 'assistant', parts: [{ type: 'text', text }] })
const long = 'sea '.repeat(3000)
const talk = [user(long), says(long), user('and now?')]
const notes = [user('notes'), says('yes'), user('and now?')]
const served = { session: 'ses_a' }
const usual = { system: '', session: 's1', fixed: 100, limit: 4000, window: 8000, tokens: 7000, reason: 'threshold', served } as const

interface World {
  readonly kept?: readonly ModelMessage[]
  readonly settings?: object
  readonly rules?: Rules
}

/** What an engine was asked, and what came of it. */
async function run(long: Partial<Long>, { kept = notes, settings = {}, rules }: World = {}) {
  const asked: CompressRequest[] = []
  const wanted = { ...defaultConfig.compression, ...settings }
  const options = {
    engines: {
      compress: async (request: CompressRequest) => {
        asked.push(request)
        return kept
      },
    },
    settings: () => wanted,
    skills: { list: async () => [], view: async ({ name, session }: { name: string; session: string }) => `How to ${name} in ${session}.` },
    rules: { workspace: '/work', now: () => rules },
    log: silentLog,
  }
  const short = await shorten(options, { heard: talk, ...usual, ...long }, signal)
  return { asked, short, room: roomOf(wanted, usual) }
}

test('an engine gets the conversation, its room and what stays, and what comes of it is counted with what is always sent', async () => {
  const { asked, short, room } = await run({}, { settings: { protect_first_n: 3, protect_last_n: 7 } })
  expect(asked).toEqual([{ messages: talk, room, window: 8000, reason: 'threshold', keepFirst: 2, keepLast: 7 }])
  expect(short).toEqual({ messages: notes, reason: 'threshold', tokensBefore: 7000, tokensAfter: 100 + estimateTokens(notes) })
  expect((await run({}, { settings: { protect_first_n: 0 } })).asked[0]).toMatchObject({ keepFirst: 0 })
})

test('what a person asks for is half at the most, with its focus', async () => {
  const little = [user('sea '.repeat(300)), says('sea '.repeat(300)), user('?')]
  expect((await run({ heard: little })).asked).toEqual([])
  const { asked } = await run({ heard: little, reason: 'asked', focus: 'boats' })
  expect(asked).toMatchObject([{ room: Math.floor(estimateTokens(little) / 2), focus: 'boats' }])
  expect((await run({ reason: 'asked', focus: '' })).asked[0]).not.toHaveProperty('focus')
})

test('only a model may do it where the settings say so', async () => {
  expect((await run({})).asked[0]).not.toHaveProperty('onlyByModel')
  expect((await run({}, { settings: { abort_on_summary_failure: true } })).asked).toMatchObject([{ onlyByModel: true }])
})

test('skills that are read again take their part of the room', async () => {
  const call: ModelMessage = { role: 'assistant', parts: [{ type: 'call', id: 'c', name: 'skill_view', args: '{"name":"sail"}' }] }
  const { asked, short, room } = await run({ heard: [user(long), call, ...talk.slice(1)] })
  const [first] = short?.messages ?? []
  const reading = first?.role === 'user' ? first.parts[0] : undefined
  expect(reading).toMatchObject({ text: expect.stringContaining('How to sail in s1.') })
  expect(asked[0]?.room).toBe(room - estimateTokens(reading))
})

test('what fits is not touched, nor what has nothing before the last words; what did not become shorter is dropped', async () => {
  expect(await run({ heard: notes })).toMatchObject({ asked: [], short: undefined })
  const exact = [user('a'.repeat(400)), says('b'), user('c')]
  expect((await run({ heard: exact, reason: 'asked' })).asked).toHaveLength(1)
  expect((await run({ heard: talk.slice(1) })).asked).toEqual([])
  expect((await run({}, { kept: talk })).short).toBeUndefined()
})

test('rules that the prompt does not have are read again before the skills, and what is left out of them is said', async () => {
  const call: ModelMessage = { role: 'assistant', parts: [{ type: 'call', id: 'c', name: 'skill_view', args: '{"name":"sail"}' }] }
  const told: string[] = []
  const file = { path: '/work/AGENTS.md', text: 'Speak Greek.' }
  const rules = { files: [file], notes: ['/CLAUDE.md is not followed.'] }
  const heard = [user(long), call, ...talk.slice(1)]
  const { asked, short, room } = await run({ heard, say: (text) => void told.push(text) }, { rules })
  const [first] = short?.messages ?? []
  const readings = first?.role === 'user' ? first.parts.slice(0, -1) : []
  expect(readings).toMatchObject([
    { text: expect.stringContaining('Speak Greek.') },
    { text: expect.stringContaining('How to sail in s1.') },
  ])
  expect(asked[0]?.room).toBe(room - estimateTokens(readings[0]) - estimateTokens(readings[1]))
  expect(told).toEqual(rules.notes)
  const large = { files: [{ ...file, text: long.repeat(3) }], notes: [] }
  expect((await run({ say: (text) => void told.push(text) }, { rules: large })).short?.messages).toEqual(notes)
  expect(told.at(-1)).toBe('/work/AGENTS.md has changed, and there is no room for it.')
})
