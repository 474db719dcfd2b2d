import { expect, test } from 'vitest'
import { describeChange } from './sentences.ts'

const say = (entity_id: string, before: string, after: string, attributes: Record<string, unknown> = {}): string =>
  describeChange({ entity_id, state: before, attributes }, { entity_id, state: after, attributes })

test.each<[string, string]>([
  [say('light.hall', 'off', 'on', { friendly_name: 'Hall' }), 'Hall (light.hall) was turned on.'],
  [say('switch.pump', 'on', 'off'), 'switch.pump (switch.pump) was turned off.'],
  [say('fan.bath', 'on', 'jammed'), 'fan.bath (fan.bath) changed from "on" to "jammed".'],
  [say('binary_sensor.door', 'off', 'on', { friendly_name: 'Door' }), 'Door (binary_sensor.door) was triggered.'],
  [say('binary_sensor.door', 'on', 'off', { friendly_name: ' ' }), 'binary_sensor.door (binary_sensor.door) was cleared.'],
  [say('sensor.out', '3.1', '2.9', { unit_of_measurement: '°C' }), 'sensor.out (sensor.out) changed from 3.1 °C to 2.9 °C.'],
  [say('sensor.mode', 'a', 'b', { unit_of_measurement: 7 }), 'sensor.mode (sensor.mode) changed from a to b.'],
  [say('climate.flat', 'heat', 'off'), 'climate.flat (climate.flat) changed from heat to off.'],
  [
    say('climate.flat', 'off', 'heat', { current_temperature: 18.5, temperature: 21 }),
    'climate.flat (climate.flat) changed from off to heat (now 18.5°, set to 21°).',
  ],
  [
    say('alarm_control_panel.home', 'armed_away', 'triggered', { friendly_name: 'House' }),
    'The alarm House (alarm_control_panel.home) changed from armed_away to triggered.',
  ],
  [say('lock.gate', 'locked', 'unlocked'), 'lock.gate (lock.gate) changed from "locked" to "unlocked".'],
  [say('constructor.x', 'a', 'b'), 'constructor.x (constructor.x) changed from "a" to "b".'],
])('%s', (said, sentence) => {
  expect(said).toBe(sentence)
})

test('names and states stay one short line', () => {
  const said = say('sensor.x', 'a', `b\n\n${'long '.repeat(100)}`, { friendly_name: 'Line\none' })
  expect(said).toMatch(/^Line one \(sensor.x\) changed from a to b long/)
  expect(said.length).toBeLessThan(260)
})
