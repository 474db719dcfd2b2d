// @module-tag server
import { expect } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { openTestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import type { BlueprintList } from '../api-blueprints.ts'

proves(
  ['dashboard.blueprints.list', 'blueprint.slots', 'blueprint.renderers', 'version.rename.blueprints'],
  'blueprints are listed with their forms, line and link',
  async () => {
    await using dashboard = await openTestDashboard()
    const { blueprints } = (await dashboard.ask('GET', '/api/cron/blueprints')).body as unknown as BlueprintList
    const reminder = blueprints.find(({ key }) => key === 'custom-reminder')
    expect(blueprints).toHaveLength(5)
    expect(reminder?.fields).toMatchObject([
      { name: 'what', type: 'text', default: '', required: true },
      { name: 'time', type: 'time', default: '14:00', required: false },
      { name: 'recurrence', type: 'weekdays', default: 'everyday' },
      { name: 'deliver', type: 'enum', default: 'origin', strict: false },
    ])
    expect((await dashboard.ask('GET', '/api/cron/recipes')).status).toBe(404)
    expect(reminder?.slash).toBe('/blueprint custom-reminder what="" time=14:00 recurrence=everyday deliver=origin')
    expect(reminder?.link).toBe('agent://blueprint/custom-reminder?what=&time=14%3A00&recurrence=everyday&deliver=origin')
  },
)

proves('dashboard.blueprints.instantiate', 'slots are filled and make a job of the profile; what is wrong is named', async () => {
  await using dashboard = await openTestDashboard()
  const make = (slots: object, more: object = {}) =>
    dashboard.ask('POST', '/api/cron/blueprints/instantiate', { body: { blueprint: 'custom-reminder', slots, ...more } })
  const wrong = await make({ time: 'noon' })
  expect(wrong.status).toBe(400)
  expect(JSON.stringify(wrong.body.error)).toMatch(/what is missing; time takes/)
  const made = await make({ what: 'drink water', time: '15:00' })
  expect(made.body).toMatchObject({ isNew: true, job: { name: 'Reminder: drink water', schedule: '0 15 * * *' } })
  expect((await make({ what: 'drink water', time: '15:00' })).body).toMatchObject({ isNew: false, job: made.body.job })
  await dashboard.ask('POST', '/api/profiles', { body: { name: 'work' } })
  expect((await make({ what: 'drink water', time: '15:00' }, { profile: 'work' })).body).toMatchObject({ isNew: true })
})
