import { expect, test } from 'vitest'
import { findNeeded, type NeededSetting, readNeeded } from './needed-settings.ts'

const properties = {
  server: { type: 'string', description: 'Address of the server', pattern: '^[a-z.]+$' },
  port: { type: 'integer', minimum: 1, maximum: 65_535 },
  tls: { type: 'boolean' },
  rooms: { type: 'array', items: { type: 'string' } },
  nick: { type: 'string', default: 'agent' },
  topic: { type: 'string' },
}
const required = ['server', 'port', 'tls', 'rooms', 'nick', 'ghost']
const needed = findNeeded({ configSchema: { type: 'object', properties, required } as never })
const of = (key: string): NeededSetting => needed.find((setting) => setting.key === key) as NeededSetting

test('what is required, has no default and can be typed as one word is asked for', () => {
  expect(needed.map(({ key, prompt }) => [key, prompt])).toEqual([
    ['server', 'Address of the server'],
    ['port', 'port'],
    ['tls', 'tls'],
  ])
  expect(findNeeded({})).toEqual([])
})

test.each([
  ['server', 'chat.example', 'chat.example'],
  ['port', '6697', 6697],
  ['tls', 'yes', true],
  ['tls', 'off', false],
])('%s: %j is read as its type says', async (key, typed, value) => {
  expect(await readNeeded(of(key), typed)).toEqual({ ok: true, value })
})

test.each([
  ['server', '6697'],
  ['port', '70000'],
  ['port', 'high'],
  ['port', '1.5'],
  ['tls', 'perhaps'],
])('%s: %j does not fit, and why is told', async (key, typed) => {
  expect(await readNeeded(of(key), typed)).toMatchObject({ ok: false, problem: expect.stringMatching(/^(must|does)/) })
})
