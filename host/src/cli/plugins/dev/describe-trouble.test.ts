import { manifestSchema } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { LogEntry } from '../see/log-entry.ts'
import { createDescribeTrouble, type DescribeTrouble } from './describe-trouble.ts'

const about = { id: 'platform-talk', name: 'Talk', description: 'Talks.', version: '1.0.0', license: 'MIT' }
const platform = { id: 'talk', label: 'Talk', entry: 'dist/talk.js', door: 'messaging', reach: 'people', capabilities: {}, limits: {} }
const manifest = manifestSchema.parse({ manifestVersion: 1, ...about, api: { platform: 1 }, contributes: { platforms: [platform] } })

const line = (message: string, fields: LogEntry['fields'], pid = 1): LogEntry => ({ time: 0, pid, message, fields })
const linked = (state: string, message = `talk is ${state}`, pid?: number): LogEntry => line(message, { platform: 'talk', state }, pid)
const lost = linked('retrying', 'The connection to talk was lost: it hung up.')
const told = (entries: readonly LogEntry[], describe: DescribeTrouble = createDescribeTrouble(manifest)) =>
  entries.map(describe).filter((text) => text !== undefined)

test('a connection that breaks after the start is told each time, and that it is back', () => {
  const lostText = 'talk: retrying: The connection to talk was lost: it hung up.'
  expect(told([linked('connected'), lost, linked('connected'), lost, linked('connected')])).toEqual([
    ...[lostText, 'talk: connected'],
    ...[lostText, 'talk: connected'],
  ])
})

test('the first attempt is told elsewhere; what it comes to is told here, and the same trouble once', () => {
  const refused = linked('retrying', 'talk cannot be reached: nobody listens.')
  expect(told([refused, refused, linked('fatal', 'talk refused the credentials: wrong.'), linked('connected')])).toEqual([
    'talk: fatal: talk refused the credentials: wrong.',
    'talk: connected',
  ])
})

test('a gateway that was started again tells its first attempt itself', () => {
  expect(told([linked('connected'), linked('retrying', 'lost', 2)])).toEqual([])
})

test('a mistake in the code of the plugin is told once with its stack; other plugins and platforms are not', () => {
  const stack = 'TypeError: x is undefined\n    at read (/plugin/src/link.ts:5:1)'
  const mistake = line('a mistake ended the connection', { plugin: 'platform-talk', stack })
  const other = line('a mistake ended the connection', { plugin: 'platform-other', stack })
  const away = line('lost', { platform: 'other', state: 'retrying' })
  expect(told([mistake, mistake, other, line('connected', { platform: 'other', state: 'connected' }), away])).toEqual([
    `platform-talk: a mistake ended the connection: ${stack}`,
  ])
})
