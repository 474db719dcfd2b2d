import { expect, test } from 'vitest'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { JobRights, ToolTurn } from '#tools/tool-turn.ts'
import { jobsForTools, makeJobs } from './make-jobs.ts'

const tea = { prompt: 'Make tea.', schedule: 'daily 9:00', name: 'tea' }

async function withJobs(
  run: (
    of: (rights?: JobRights, more?: Partial<ToolTurn>) => ReturnType<ReturnType<typeof jobsForTools>>,
    jobs: Awaited<ReturnType<Awaited<ReturnType<typeof createTemporaryStore>>['open']>>['jobs'],
  ) => Promise<void>,
): Promise<void> {
  await using place = await createTemporaryStore()
  const store = await place.open()
  const loaded = { config: { cron: { timezone: 'UTC', catch_up_missed: true } } } as never
  const catalog = { find: (_: string, id: string) => ({ spec: { door: 'messaging', id } }) } as never
  const tools = jobsForTools(makeJobs({ store, loaded, catalog, skills: { known: () => [] }, clock: place.clock }))
  const of = (jobRights: JobRights = { may: true, door: 'talk' }, more: Partial<ToolTurn> = {}) =>
    tools({ owner: 'owner', door: 'talk', sessionKey: 'agent:main:talk:dm:bot:ann', canAnswer: false, jobRights, ...more } as ToolTurn)
  await run(of, store.jobs)
}

test('who may not make jobs gets none made, changed or started, and may still look at them and stop them', async () => {
  await withJobs(async (of, jobs) => {
    await of().create(tea)
    const other = of({ may: false, door: 'talk' })
    const refused = { code: 'JOB_INVALID', message: expect.stringContaining('may not use /cron here') }
    await expect(other.create({ ...tea, name: 'more' })).rejects.toMatchObject(refused)
    await expect(other.edit('tea', { prompt: 'x' })).rejects.toMatchObject(refused)
    for (const what of ['resume', 'run'] as const) await expect(other.act('tea', what)).rejects.toMatchObject(refused)
    expect([(await jobs.list()).length, (await jobs.history(9)).length]).toEqual([1, 0])
    expect(await other.act('tea', 'pause')).toMatchObject({ state: 'paused' })
    expect(await other.list()).toHaveLength(1)
  })
})

test('a job that is changed through another door keeps to the toolsets of both', async () => {
  await withJobs(async (of, jobs) => {
    await of({ may: true, door: 'wide' }).create(tea)
    await of({ may: true, door: 'narrow', toolsets: ['web'] }).edit('tea', { prompt: 'Read all files.' })
    expect(await jobs.list()).toMatchObject([{ door: 'wide', doors: ['narrow'], toolsets: ['web'], prompt: 'Read all files.' }])
  })
})
