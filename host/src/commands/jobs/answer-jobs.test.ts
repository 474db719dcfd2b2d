import { expect, test } from 'vitest'
import { createJobDesk } from '#jobs/job-desk.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { answerJobs, type JobAsker } from './answer-jobs.ts'
import { splitSchedule } from './split-schedule.ts'

const ann: JobAsker = { owner: 'talk:ann', isStranger: true, door: 'talk', origin: 'agent:main:talk:dm:bot:ann' }

test('a person makes, sees and changes the jobs of their conversation', async () => {
  await using place = await createTemporaryStore()
  const { jobs, journal } = await place.open()
  const ground = { jobs, now: place.clock.now, zone: () => 'UTC', catchesUp: () => true, knows: () => true, posted: journal.posted }
  const desk = createJobDesk(ground)
  const say = (args: string, asker = ann) => answerJobs(desk, asker, args)
  expect(await say('')).toContain('There are no jobs')
  expect(await say('add daily at 9:00 Make tea.')).toMatch(
    /^The job is kept:\n- job_\w+ Make tea\.: 0 9 \* \* \*, next .* 09:00 UTC, to origin$/,
  )
  expect(await jobs.list()).toMatchObject([{ owner: 'talk:ann', door: 'talk', origin: ann.origin, deliver: 'origin' }])
  expect(await say('create "daily 9:00" Make tea.')).toContain('There was such a job')
  const [job] = await jobs.list()
  expect(await say(`edit ${job?.id} every 2h`)).toContain('every 2h')
  const conversation = { id: 'ann', kind: 'dm' } as const
  const elsewhere = {
    ...ann,
    door: 'irc',
    people: [{ platform: 'irc', account: 'bot', conversation, sender: { id: 'ann', isBot: false } }],
  }
  await say(`edit ${job?.id} every 2h`, elsewhere)
  expect(await jobs.list()).toMatchObject([{ door: 'talk', doors: ['irc'], people: elsewhere.people }])
  expect(await say('pause Make tea.')).toContain('next paused')
  expect(await say('resume make TEA.')).toContain('goes on')
  expect(await say('run Make tea.')).toContain('as soon as')
  expect(await say('list')).toContain('; last waiting')
  expect(await say('runs')).toContain('Make tea.: waiting')
  expect(await say('list', { owner: 'talk:ben', isStranger: true })).toContain('There are no jobs')
  await expect(say('remove')).rejects.toMatchObject({ code: 'USAGE' })
  await expect(say('fly')).rejects.toMatchObject({ code: 'USAGE' })
  expect(await say('remove Make tea.')).toContain('is removed')
})

test.for([
  ['daily at 9:00 Make tea.', 'daily at 9:00', 'Make tea.'],
  ['daily at 9 am Make tea.', 'daily at 9 am', 'Make tea.'],
  ['every 2h look', 'every 2h', 'look'],
  ['0 9 * * 1-5 look around', '0 9 * * 1-5', 'look around'],
  ['“in 30m” look', 'in 30m', 'look'],
  ['30m', '30m', ''],
])('%s is %s and %s', async ([text, schedule, prompt]) => {
  expect(await splitSchedule(text ?? '')).toEqual({ schedule, prompt })
})

test('a text that begins with no schedule is refused', async () => {
  await expect(splitSchedule('Make tea at nine')).rejects.toMatchObject({ code: 'SCHEDULE_INVALID' })
})
