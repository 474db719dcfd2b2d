import { describe, expect, test } from 'vitest'
import type { CronJob, DueTime, JobSpec, Jobs, RunClaim, RunEnd } from '../jobs.ts'
import type { Store } from '../store.ts'
import type { JournalPlace } from './journal-place.ts'

type Check = (title: string, run: (jobs: Jobs, place: JournalPlace, store: Store) => Promise<void>) => void

const hour = 3_600_000

export function specOf(change: Partial<JobSpec> = {}): JobSpec {
  return {
    ...{ name: 'brief', prompt: 'What is new?', schedule: 'every 1h', zone: 'UTC', missed: 'run', skills: [] },
    ...{ deliver: 'local', owner: 'owner', timeoutSeconds: 600 },
    ...change,
  }
}

const okay: RunEnd = { state: 'ok', output: 'Nothing.', session: 'ses_a', error: null, delivery: 'pending' }
const problem = { code: 'INTERNAL', params: { detail: 'it broke' } } as const

/** The promises of the jobs port; every store that keeps jobs runs them. */
export function jobsContract(name: string, createPlace: () => Promise<JournalPlace>): void {
  describe(`jobs of ${name}`, () => {
    const check: Check = (title, run) =>
      test(title, async () => {
        await using place = await createPlace()
        const store = await place.open()
        await store.leases.hold('boot_a', 'boot_a', hour)
        await run(store.jobs, place, store)
      })
    jobRules(check)
    changeRules(check)
    claimRules(check)
    repeatRules(check)
    waitingRules(check)
    ownerRules(check)
    deliveryRules(check)
  })
}

async function addDue(jobs: Jobs, place: JournalPlace, change: Partial<JobSpec> = {}): Promise<CronJob> {
  return (await jobs.add(specOf(change), place.clock.time)).job
}

const dueOf = ({ nextAt }: CronJob, nextAfter: number | null = (nextAt ?? 0) + hour): DueTime => ({
  ...{ dueAt: nextAt ?? 0, nextAt: nextAfter, collapsed: 0 },
})

async function claimed(jobs: Jobs, job: CronJob, owner = 'boot_a'): Promise<RunClaim> {
  const claim = await jobs.claim(job.id, dueOf(job), owner)
  if (!claim) throw new Error('nothing was claimed')
  return claim
}

function jobRules(check: Check): void {
  check('a job comes back whole, also in another process, and a list changes nothing', async (jobs, place) => {
    const spec = specOf({ origin: 'agent:main:irc', skills: ['a', 'b'], toolsets: ['web'], provider: 'p', model: 'm', repeat: 3 })
    const { job, isNew } = await jobs.add(spec, 5)
    expect(isNew).toBe(true)
    expect(job).toMatchObject({ ...spec, state: 'scheduled', nextAt: 5, completed: 0, createdAt: place.clock.time })
    const other = (await place.open()).jobs
    expect(await other.find(job.id)).toEqual(job)
    expect(await other.list()).toEqual([job])
    expect(await other.list()).toEqual([job])
  })

  check('the same name and schedule of the same owner are the same job, until it is done', async (jobs) => {
    const { job } = await jobs.add(specOf(), 5)
    expect(await jobs.add(specOf({ prompt: 'Something else?' }), 9)).toEqual({ job: { ...job, prompt: 'Something else?' }, isNew: false })
    expect((await jobs.add(specOf({ owner: 'mira' }), 5)).isNew).toBe(true)
    expect((await jobs.add(specOf({ schedule: 'every 2h' }), 5)).isNew).toBe(true)
    await jobs.claim(job.id, { dueAt: 5, nextAt: null, collapsed: 0 }, 'boot_a')
    expect(await jobs.find(job.id)).toMatchObject({ state: 'done', nextAt: null })
    expect((await jobs.add(specOf(), 5)).isNew).toBe(true)
  })
}

function changeRules(check: Check): void {
  check('a job is changed, listed for its owner, and removed with its runs', async (jobs, place) => {
    const job = await addDue(jobs, place)
    const claim = await claimed(jobs, job)
    expect(await jobs.change(job.id, (now) => ({ ...now, state: 'paused', nextAt: null, prompt: 'x' }))).toMatchObject({ prompt: 'x' })
    expect(await jobs.find(job.id)).toMatchObject({ state: 'paused', nextAt: null, prompt: 'x', completed: 1 })
    expect(await jobs.nextDue()).toBeNull()
    expect([(await jobs.list('owner')).length, (await jobs.list('mira')).length]).toEqual([1, 0])
    expect([await jobs.remove(job.id), await jobs.remove(job.id)]).toEqual([true, false])
    expect(await jobs.history(9)).toEqual([])
    expect(await jobs.conclude(claim, okay, 50)).toBe(false)
    expect(await jobs.change(job.id, (now) => now)).toBeUndefined()
    expect(await jobs.ask(job.id, 1)).toBeUndefined()
  })

  check('who waits for the next due time hears of what changes it', async (jobs, place) => {
    let heard = 0
    const leaveBad = jobs.onChange(() => {
      throw new Error('bad')
    })
    const leave = jobs.onChange(() => heard++)
    const job = await addDue(jobs, place)
    expect(heard).toBe(1)
    await jobs.change(job.id, (now) => now)
    expect(heard).toBe(2)
    leave()
    leaveBad()
    await jobs.remove(job.id)
    expect(heard).toBe(2)
  })
}

function claimRules(check: Check): void {
  check('the earliest due time comes first, and nothing is due before it', async (jobs, place) => {
    expect(await jobs.nextDue()).toBeNull()
    await jobs.add(specOf({ name: 'late' }), place.clock.time + 5)
    await jobs.add(specOf({ name: 'soon' }), place.clock.time + 2)
    expect(await jobs.nextDue()).toBe(place.clock.time + 2)
    expect(await jobs.due(place.clock.time, 9)).toEqual([])
    expect((await jobs.due(place.clock.time + 9, 9)).map(({ name }) => name)).toEqual(['soon', 'late'])
  })

  check('a due time is claimed by exactly one of many, and once', async (jobs, place) => {
    const job = await addDue(jobs, place)
    const others = [jobs, (await place.open()).jobs, (await place.open()).jobs]
    const claims = await Promise.all(others.map((each, index) => each.claim(job.id, dueOf(job), `boot_${index}`)))
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1)
    expect(await jobs.claim(job.id, dueOf(job), 'boot_a')).toBeNull()
    expect(await jobs.find(job.id)).toMatchObject({ nextAt: (job.nextAt ?? 0) + hour, completed: 1 })
    expect(await jobs.history(9)).toHaveLength(1)
  })

  check('a due time that was run does not come again, whatever the job is changed to', async (jobs, place) => {
    const job = await addDue(jobs, place)
    await jobs.conclude(await claimed(jobs, job), okay, 50)
    await jobs.change(job.id, (now) => ({ ...now, nextAt: job.nextAt }))
    expect(await jobs.claim(job.id, dueOf(job), 'boot_a')).toBeNull()
    expect(await jobs.history(9)).toHaveLength(1)
  })

  check('a job that still runs is not started again: that due time is skipped', async (jobs, place) => {
    const job = await addDue(jobs, place)
    const claim = await claimed(jobs, job)
    const next = { dueAt: (job.nextAt ?? 0) + hour, nextAt: (job.nextAt ?? 0) + 2 * hour, collapsed: 0 }
    expect(await jobs.claim(job.id, next, 'boot_a')).toBeNull()
    expect((await jobs.history(9)).map(({ state }) => state)).toEqual(['skipped', 'running'])
    expect(await jobs.find(job.id)).toMatchObject({ completed: 1, nextAt: next.nextAt })
    expect(await jobs.conclude(claim, okay, 50)).toBe(true)
  })

  check('a missed due time is written down, with those that it stands for', async (jobs, place) => {
    const job = await addDue(jobs, place)
    const run = await jobs.miss(job.id, { ...dueOf(job), collapsed: 4 }, { tell: true })
    expect(run).toMatchObject({ state: 'missed', collapsed: 4, delivery: 'pending', dueAt: job.nextAt })
    expect(await jobs.miss(job.id, dueOf(job), { tell: true })).toBeNull()
    expect(await jobs.find(job.id)).toMatchObject({ completed: 0 })
  })
}

function repeatRules(check: Check): void {
  check('a job with a count is done after so many runs', async (jobs, place) => {
    let job = await addDue(jobs, place, { repeat: 2 })
    for (const state of ['scheduled', 'done']) {
      const claim = await claimed(jobs, job)
      await jobs.conclude(claim, okay, 50)
      job = claim.job
      expect(job.state).toBe(state)
    }
    expect(await jobs.nextDue()).toBeNull()
  })

  check('the newest outputs are kept', async (jobs, place) => {
    let job = await addDue(jobs, place)
    for (let n = 0; n < 5; n++) {
      const claim = await claimed(jobs, job)
      await jobs.conclude(claim, { ...okay, output: `${n}`, delivery: 'none' }, 2)
      job = claim.job
    }
    expect((await jobs.history(9, { job: job.id })).map(({ output }) => output)).toEqual(['4', '3'])
  })

  check('what still has something to say is kept beside the newest', async (jobs, place) => {
    let job = await addDue(jobs, place)
    for (const delivery of ['pending', 'none', 'none'] as const) {
      const claim = await claimed(jobs, job)
      await jobs.conclude(claim, { ...okay, delivery }, 1)
      job = claim.job
    }
    expect((await jobs.history(9)).map(({ delivery }) => delivery)).toEqual(['none', 'pending'])
  })
}

function waitingRules(check: Check): void {
  check('a run that was asked for waits until the one before is over', async (jobs, place) => {
    const job = await addDue(jobs, place)
    const claim = await claimed(jobs, job)
    const now = place.clock.time
    await jobs.ask(job.id, now)
    expect(await jobs.claimWaiting('boot_a', now)).toBeNull()
    expect(await jobs.nextDue()).toBe(now + hour)
    await jobs.conclude(claim, okay, 50)
    expect(await jobs.nextDue()).toBe(now)
    expect(await jobs.claimWaiting('boot_a', now - 1)).toBeNull()
    const asked = await jobs.claimWaiting('boot_a', now)
    expect(asked).toMatchObject({ run: { cause: 'asked', attempts: 1, state: 'running' }, job: { id: job.id, completed: 1 } })
  })

  check('the newest run of each job is told in one go', async (jobs, place) => {
    const one = await addDue(jobs, place)
    const other = await addDue(jobs, place, { name: 'other' })
    for (const job of [one, other, one]) await jobs.conclude(await claimed(jobs, (await jobs.find(job.id)) ?? job), okay, 9)
    const newest = await jobs.newest()
    expect(newest.map(({ job, seq }) => [job, seq]).sort()).toEqual(
      [
        [one.id, 3],
        [other.id, 2],
      ].sort(),
    )
  })

  check('a run that is asked for again while it waits is the same run', async (jobs, place) => {
    const job = await addDue(jobs, place)
    const first = await jobs.ask(job.id, place.clock.time)
    expect(await jobs.ask(job.id, place.clock.time + 1)).toEqual(first)
    expect(await jobs.history(9)).toHaveLength(1)
    await jobs.claimWaiting('boot_a', place.clock.time)
    expect((await jobs.ask(job.id, place.clock.time + 2))?.seq).not.toBe(first?.seq)
  })

  check('an attempt that failed waits for the next, and is fenced off meanwhile', async (jobs, place) => {
    const job = await addDue(jobs, place)
    const first = await claimed(jobs, job)
    const later = place.clock.time + 5_000
    expect(await jobs.postpone(first, later, problem)).toBe(true)
    expect(await jobs.conclude(first, okay, 50)).toBe(false)
    expect(await jobs.nextDue()).toBe(later)
    const second = await jobs.claimWaiting('boot_b', later)
    expect(second?.run).toMatchObject({ attempts: 2, owner: 'boot_b', error: problem, retryAt: null })
    expect(await jobs.postpone(first, later, problem)).toBe(false)
  })

  check('a new due time takes the place of an attempt that waits', async (jobs, place) => {
    const job = await addDue(jobs, place)
    const first = await claimed(jobs, job)
    await jobs.postpone(first, place.clock.time + 9 * hour, problem)
    await claimed(jobs, first.job)
    expect((await jobs.history(9)).map(({ state }) => state)).toEqual(['running', 'failed'])
  })
}

function ownerRules(check: Check): void {
  check('what a dead owner had claimed is lost, told once, and not run again; its late answer is refused', async (jobs, place) => {
    const job = await addDue(jobs, place)
    const claim = await claimed(jobs, job, 'boot_dead')
    const lost = await jobs.recover('boot_a')
    expect(lost).toMatchObject([{ seq: claim.run.seq, state: 'lost', delivery: 'pending' }])
    expect(await jobs.recover('boot_a')).toEqual([])
    expect(await jobs.conclude(claim, okay, 50)).toBe(false)
    expect(await jobs.claimWaiting('boot_a', place.clock.time + 9 * hour)).toBeNull()
    await claimed(jobs, claim.job)
  })

  check('an owner that lives keeps its runs, unless the caller is alone', async (jobs, place, store) => {
    await store.leases.hold('boot_b', 'boot_b', hour)
    await claimed(jobs, await addDue(jobs, place), 'boot_b')
    expect(await jobs.recover('boot_a')).toEqual([])
    place.clock.time += hour + 1
    expect(await jobs.recover('boot_c')).toHaveLength(1)
    await claimed(jobs, await addDue(jobs, place, { name: 'other' }), 'boot_b')
    await store.leases.hold('boot_b', 'boot_b', hour)
    expect(await jobs.recover('boot_a', { alone: true })).toHaveLength(1)
  })
}

function deliveryRules(check: Check): void {
  check('what became of a run and of its answer are two things', async (jobs, place) => {
    const claim = await claimed(jobs, await addDue(jobs, place))
    await jobs.conclude(claim, { ...okay, state: 'failed', error: problem }, 50)
    expect(await jobs.deliveries(['pending'], 9)).toMatchObject([{ run: { state: 'failed', error: problem, output: 'Nothing.' } }])
    await jobs.delivered(claim.run.seq, 'queued')
    expect(await jobs.deliveries(['pending'], 9)).toEqual([])
    expect(await jobs.deliveries(['queued'], 9)).toHaveLength(1)
    await jobs.delivered(claim.run.seq, 'failed', problem)
    expect(await jobs.deliveries(['pending', 'queued'], 9)).toEqual([])
    expect(await jobs.history(9)).toMatchObject([{ state: 'failed', delivery: 'failed', deliveryError: problem, session: 'ses_a' }])
  })

  check('what is to be queued is found behind all that is queued', async (jobs, place) => {
    const first = await claimed(jobs, await addDue(jobs, place))
    await jobs.conclude(first, okay, 50)
    await jobs.delivered(first.run.seq, 'queued')
    const second = await claimed(jobs, first.job)
    await jobs.conclude(second, okay, 50)
    expect(await jobs.deliveries(['pending'], 1)).toMatchObject([{ run: { seq: second.run.seq } }])
    expect(await jobs.deliveries(['queued'], 1)).toMatchObject([{ run: { seq: first.run.seq } }])
  })
}
