import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { JobRights, ToolTurn } from '#tools/tool-turn.ts'
import { jobsForTools, makeJobs } from './make-jobs.ts'

const tea = { prompt: 'Make tea.', schedule: 'daily 9:00', name: 'tea' }

async function withJobs(
  run: (
    of: (rights?: JobRights, more?: Partial<ToolTurn>) => ReturnType<ReturnType<typeof jobsForTools>>,
    jobs: Awaited<ReturnType<Awaited<ReturnType<typeof createTemporaryStore>>['open']>>['jobs'],
  ) => Promise<void>,
  cron = { timezone: 'UTC', catch_up_missed: true },
): Promise<void> {
  await using place = await createTemporaryStore()
  const store = await place.open()
  const loaded = { config: { cron } } as never
  const catalog = { find: (_: string, id: string) => ({ spec: { door: 'messaging', id } }) } as never
  const tools = jobsForTools(
    makeJobs({
      store,
      loaded,
      catalog,
      skills: { known: () => [], index: async () => ({ skills: [], broken: [] }) },
      log: silentLog,
      clock: place.clock,
    }),
  )
  const of = (jobRights: JobRights = { may: true, door: 'talk' }, more: Partial<ToolTurn> = {}) =>
    tools({
      owner: 'owner',
      door: 'talk',
      sessionKey: 'agent:main:talk:dm:bot:ann',
      canAnswer: false,
      jobRights: () => jobRights,
      ...more,
    } as ToolTurn)
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

test('a job that writes elsewhere is made or changed only where the person allows it', async () => {
  await withJobs(async (of, jobs) => {
    const asked: unknown[] = []
    const answering = (choice: 'once' | 'deny') =>
      of(undefined, {
        canAnswer: true,
        approve: async ({ tool, subject, choices }) => {
          asked.push([tool, subject, choices])
          return choice
        },
      })
    const out = { ...tea, deliver: 'origin, talk:#all' }
    await expect(of().create(out)).rejects.toThrow('nobody is here to allow it')
    await expect(answering('deny').create(out)).rejects.toThrow('not allowed')
    expect(await jobs.list()).toEqual([])
    await answering('once').create(out)
    expect(asked).toEqual(Array.from({ length: 2 }, () => ['cronjob', 'to talk:#all: Make tea.', ['once', 'deny']]))
    await expect(answering('deny').edit('tea', { prompt: 'Say all.' })).rejects.toThrow('not allowed')
    await expect(of().edit('tea', { prompt: 'Say all.' })).rejects.toThrow('nobody is here')
    await of().edit('tea', { deliver: 'local' })
    await of().edit('tea', { prompt: 'Say all.' })
    expect([await jobs.list(), asked.length]).toMatchObject([[{ deliver: 'local', prompt: 'Say all.' }], 3])
  })
})

test('a job answers in the conversation in which it was asked for, and that of a stranger nowhere else', async () => {
  await withJobs(async (of, jobs) => {
    const stranger = of(undefined, { owner: 'talk:ben' })
    await expect(stranger.create({ ...tea, deliver: 'talk:#all' })).rejects.toThrow('only the owner sends to other places')
    await stranger.create(tea)
    await expect(stranger.edit('tea', { deliver: 'talk:#all' })).rejects.toThrow('only the owner sends to other places')
    expect(await jobs.list()).toMatchObject([{ owner: 'talk:ben', origin: 'agent:main:talk:dm:bot:ann', deliver: 'origin' }])
  })
})

test('the settings name the zone of jobs that name none, and what becomes of times that were missed', async () => {
  await withJobs(
    async (of, jobs) => {
      await of().create(tea)
      expect(await jobs.list()).toMatchObject([{ zone: 'Asia/Tokyo', missed: 'skip' }])
    },
    { timezone: 'Asia/Tokyo', catch_up_missed: false },
  )
})
