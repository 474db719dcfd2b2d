import { expect, test } from 'vitest'
import type { JobRun } from '../../../host/src/store/jobs.ts'
import { judgeJob, type Lived } from './judge.ts'
import { openZone } from './zones.ts'

const day = 86_400_000
const due = [1 * day, 2 * day, 3 * day, 4 * day]

function runOf(dueAt: number, change: Partial<JobRun> = {}): JobRun {
  const rest = {
    job: 'j',
    attempts: 1,
    owner: null,
    retryAt: null,
    startedAt: 0,
    endedAt: 0,
    session: null,
    output: '',
    error: null,
  } as const
  return { ...rest, seq: dueAt / day, dueAt, cause: 'due', collapsed: 0, state: 'ok', delivery: 'local', deliveryError: null, ...change }
}

function judge(runs: readonly JobRun[], late: Readonly<Record<number, number>> = {}, change: Partial<Lived> = {}, served = false) {
  const handled = new Map(runs.map(({ dueAt }) => [dueAt, { wall: dueAt + (late[dueAt / day] ?? 0), step: dueAt / day }]))
  const executed = new Map(runs.flatMap(({ dueAt, state }) => (state === 'ok' ? [[dueAt, 1] as const] : [])))
  return judgeJob({ form: 'f', missed: 'run', due, to: 3 * day, runs, handled, executed, ...change }, () => served)
}

const three = [1, 2, 3].map((number) => runOf(number * day))

test('each due time of the year is one run', () => {
  expect(judge(three)).toMatchObject({ onTime: 3, problems: [] })
  expect(judge([runOf(day, { collapsed: 1 }), runOf(3 * day)], { 1: day })).toMatchObject({ onTime: 2, madeUp: 1, problems: [] })
})

test.for([
  ['nothing became of', three.slice(0, 2), {}, {}],
  ['by the oracle', [runOf(day), runOf(3 * day)], {}, {}],
  ['begun 2 times', three, {}, { executed: new Map(due.slice(0, 3).map((at) => [at, at === day ? 2 : 1])) }],
  ['was not done once', three, {}, { executed: new Map() }],
  ['before its time', three, { 2: -5 }, {}],
  ['leaves out', three, { 1: 1.5 * day }, {}],
  ['was not made up for', [runOf(day, { state: 'missed' }), ...three.slice(1)], { 1: day / 2 }, {}],
  ['although it was on time', [runOf(day, { state: 'missed' }), ...three.slice(1)], {}, { missed: 'skip' }],
  ['although it was missed', three, { 2: day / 2 }, { missed: 'tell' }],
  ['nothing of the job ran', [runOf(day), runOf(2 * day, { state: 'skipped' }), runOf(3 * day)], {}, {}],
  ['is running', [...three.slice(0, 2), runOf(3 * day, { state: 'running' })], {}, {}],
] as const)('%s', ([words, runs, late, change]) => {
  expect(judge(runs, late, change).problems.join()).toContain(words)
})

test('what waits while a gateway runs is noticed', () => {
  expect(judge(three, { 2: 60 }, {}, true).problems.join()).toContain('waited although a gateway ran')
})

test.for([
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:00'],
  ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00'],
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30'],
  ['America/New_York', '2026-03-08T02:05', '2026-03-08T07:00'],
  ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30'],
  ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:30'],
  ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45'],
  ['Australia/Lord_Howe', '2026-07-01T09:00', '2026-06-30T22:30'],
] as const)('in %s the wall shows %s at %s', ([name, local, at]) => {
  const zone = openZone(name, Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1))
  expect(new Date(zone.whenShown(Date.parse(`${local}Z`))).toISOString().slice(0, 16)).toBe(at)
})
