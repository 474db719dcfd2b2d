import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readEvent } from './inbound.ts'
import { type HomeEvent, parseFrames } from './wire.ts'

const [frame] = parseFrames(readFileSync(new URL('../fixtures/state-changed.json', import.meta.url), 'utf8'))
const receiver = {
  account: 'house:8123',
  self: 'agent-user',
  watch: ({ old_state: before, new_state: after }: Parameters<Parameters<typeof readEvent>[1]['watch']>[0]) =>
    before && after ? { before, after } : undefined,
}
const read = (change: Partial<HomeEvent> = {}) =>
  readEvent({ ...(frame?.type === 'event' ? frame.event : ({} as never)), ...change }, receiver)

test('a change is a message with its own id and time', () => {
  expect(read()).toEqual({
    id: 'light.hall/2026-01-26T01:37:24.265429+00:00',
    account: 'house:8123',
    conversation: { id: 'ha_events', kind: 'channel', name: 'Home Assistant' },
    sender: { id: 'home-assistant', name: 'Home Assistant', isBot: false },
    text: 'Hall (light.hall) was turned on.',
    addressed: true,
    instructions: expect.stringContaining('not from a person'),
    sentAt: Date.parse('2026-01-26T01:37:24.265Z'),
  })
  expect(read({ time_fired: 'soon' })).not.toHaveProperty('sentAt')
})

test('what an automation says is the text itself', () => {
  const said = { event_type: 'agent_message', data: { text: ' Somebody rings. ' } }
  expect(read(said)).toMatchObject({ id: 'agent_message/326ef27d19415c60c492fe330945f954', text: 'Somebody rings.' })
  expect(read({ ...said, data: { text: '/yolo' } })).toMatchObject({ text: 'The house says: /yolo' })
  expect(read({ ...said, data: { text: '  ' } })).toBeUndefined()
  expect(read({ ...said, data: 'text' })).toBeUndefined()
})

test('own deeds, other events and broken ones are nothing', () => {
  expect(read({ context: { user_id: 'agent-user' } })).toBeUndefined()
  expect(read({ event_type: 'call_service' })).toBeUndefined()
  expect(read({ data: { entity_id: 'light.hall' } })).toBeUndefined()
})
