import type { Wire } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { parseSchedule } from '../parse-schedule.ts'
import type { Blueprint } from './blueprint.ts'
import {
  catalogOf,
  fillBlueprint,
  findBlueprint,
  readLink,
  readSlots,
  renderEntry,
  renderForm,
  renderLink,
  renderSlash,
  shipped,
} from './blueprints.ts'

const byKey = (key: string): Blueprint => findBlueprint(shipped, key)
const filled = { 'custom-reminder': { what: 'drink water' } } as Readonly<Record<string, Record<string, string>>>

test.for(shipped)('$key is whole: every slot has a default, and what is usual makes a job that can be planned', (blueprint) => {
  for (const slot of blueprint.slots) expect(typeof slot.default).toBe('string')
  const wish = fillBlueprint(blueprint, filled[blueprint.key] ?? {})
  expect(wish.prompt).not.toMatch(/[{}]/)
  expect(parseSchedule(wish.schedule ?? '', { zone: 'UTC', now: 0 }).type).not.toBe('once')
})

test.for([
  ['morning-brief', { time: '7:15' }, '15 7 * * *'],
  ['morning-brief', { time: '9 pm' }, '0 21 * * *'],
  ['weekly-review', { day: 'Friday', time: '17:00' }, '0 17 * * 5'],
  ['workday-start', {}, '0 9 * * 1-5'],
  ['important-mail', { interval_min: '15' }, 'every 15m'],
  ['custom-reminder', { what: 'x', recurrence: 'weekdays' }, '0 14 * * 1-5'],
  ['custom-reminder', { what: 'x', recurrence: 'weekends' }, '0 14 * * 0,6'],
  ['custom-reminder', { what: 'x', recurrence: 'mon,wed' }, '0 14 * * 1,3'],
  ['custom-reminder', { what: 'x', recurrence: '1-3' }, '0 14 * * 1-3'],
] as const)('%s with %o is due at %s', ([key, values, schedule]) => {
  expect(fillBlueprint(byKey(key), values)).toMatchObject({ schedule, deliver: 'origin' })
})

test('a text slot with the name schedule takes any schedule', () => {
  const slot = { name: 'schedule', type: 'text', label: 'When', default: 'daily 9:00' } as const
  const free: Blueprint = { ...byKey('morning-brief'), schedule_template: '{schedule}', slots: [slot] }
  expect(fillBlueprint(free, { schedule: 'every 45m' }).schedule).toBe('every 45m')
  expect(fillBlueprint(free, {}).schedule).toBe('daily 9:00')
})

test.for([
  ['custom-reminder', {}, ['what is missing']],
  ['custom-reminder', { time: 'noon', recurrence: 'fun' }, ['what is missing', 'time takes', '"noon"', 'recurrence takes', '"fun"']],
  ['weekly-review', { day: 'tuesday' }, ['day takes sunday, monday, friday, saturday']],
  ['morning-brief', { tme: '8:00' }, ['there is no slot tme']],
] as const)('%s with %o names what is missing and what is wrong: %o', ([key, values, words]) => {
  try {
    fillBlueprint(byKey(key), values)
    expect.unreachable()
  } catch (error) {
    expect(isAgentError(error, 'BLUEPRINT_SLOTS')).toBe(true)
    for (const word of words) expect((error as Error).message).toContain(word)
  }
})

test('one schema makes the form, the line, the link and the entry, and line and link say the same when they are read', () => {
  const blueprint = byKey('custom-reminder')
  const values = { what: 'drink "cold" water & tea', time: '15:00', recurrence: 'everyday', deliver: 'origin' }
  expect(renderForm(blueprint).fields.map(({ name, required }) => [name, required])).toEqual([
    ['what', true],
    ['time', false],
    ['recurrence', false],
    ['deliver', false],
  ])
  const line = renderSlash(blueprint, values)
  expect(readSlots(line.replace('/blueprint ', ''))).toEqual({
    name: 'custom-reminder',
    values: { ...values, what: "drink 'cold' water & tea" },
  })
  expect(readLink(renderLink(blueprint, values))).toEqual({ name: 'custom-reminder', values })
  expect(renderEntry(blueprint)).toContain('custom-reminder: Reminder.')
  expect(renderForm(blueprint)).toMatchObject({ slash: renderSlash(blueprint), link: renderLink(blueprint) })
  for (const other of ['agent://plugin/x', 'https://blueprint/x', 'agent://blueprint/', 'agent://blueprint/a/b', 'x'])
    expect(readLink(other)).toBeUndefined()
})

test.for([
  ['morning-brief', 'morning-brief'],
  ['Morning Brief', 'morning-brief'],
  ['week', 'weekly-review'],
  ['mail', 'important-mail'],
  ['start workday', 'workday-start'],
  ['morning-breif', 'morning-brief'],
])('%s is found as %s', ([wanted, key]) => {
  expect(findBlueprint(shipped, wanted ?? '').key).toBe(key)
})

test('what fits several lists them, and what fits none lists all', () => {
  const several = { code: 'BLUEPRINT_AMBIGUOUS', message: expect.stringContaining('weekly-review, workday-start') }
  expect(() => findBlueprint(shipped, 'w')).toThrow(expect.objectContaining(several))
  const none = { code: 'BLUEPRINT_NOT_FOUND', message: expect.stringContaining('There are: morning-brief, important-mail') }
  expect(() => findBlueprint(shipped, 'xyzxyz')).toThrow(expect.objectContaining(none))
})

test('words in front of the slots are the name', () => {
  expect(readSlots('')).toEqual({ name: '', values: undefined })
  expect(readSlots('morning brief')).toEqual({ name: 'morning brief', values: undefined })
  expect(readSlots('morning brief time=8:00 deliver=“talk:room a”')).toEqual({
    name: 'morning brief',
    values: { time: '8:00', deliver: 'talk:room a' },
  })
})

const block = {
  schedule_template: '{minute} {hour} * * *',
  prompt_template: 'Water.',
  slots: [{ name: 'time', type: 'time', default: '8:00' }],
}
const skillWith = (blueprint: Wire) => ({ name: 'plants', description: 'Water the plants.', offered: true, blueprint })

test('a blueprint of a skill is in the catalog as long as the skill is offered', () => {
  const { blueprints, broken } = catalogOf([skillWith(block), { ...skillWith({ ...block, key: 'other' }), offered: false }])
  expect([blueprints.slice(shipped.length).map(({ key }) => key), broken]).toEqual([['plants'], []])
  expect(fillBlueprint(findBlueprint(blueprints, 'plants'), {})).toMatchObject({
    schedule: '0 8 * * *',
    prompt: 'Water.',
    skills: ['plants'],
  })
})

test.for<readonly [Readonly<Record<string, Wire>>, string]>([
  [{ slots: [] }, '{minute}'],
  [{ slots: [{ name: 'day', type: 'enum' }] }, 'the slot day has no options'],
  [{ slots: [...block.slots, { name: 'deliver', type: 'text', default: 'all' }] }, 'deliver is origin or local, and not all'],
  [{ title: 'Water\n- morning-brief: real' }, 'it is one line of text'],
  [{ description: 'Water\u001b[2J' }, 'it is one line of text'],
  [{ key: 'morning-brief' }, 'there is a blueprint morning-brief already'],
])('a blueprint with %o is left out: %s', ([change, problem]) => {
  const { blueprints, broken } = catalogOf([skillWith({ ...block, ...change })])
  expect(blueprints).toEqual(shipped)
  expect(broken.join()).toContain(problem)
})

test('a key is meant before any title, and a slot may have the name of what every object has', () => {
  const slots = [{ name: 'constructor', type: 'text', label: 'x', default: 'usual' }] as const
  const double: Blueprint = { ...byKey('morning-brief'), key: 'double', title: 'Morning brief', schedule_template: 'daily 9:00', slots }
  expect(findBlueprint([double, ...shipped], 'morning-brief').key).toBe('morning-brief')
  expect(fillBlueprint(double, {}).schedule).toBe('daily 9:00')
})
