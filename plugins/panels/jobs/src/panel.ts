import type { Panel, PanelAnswer, PanelRecord, PanelRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

type Jobs = Parameters<Panel['open']>[0]['jobs']
type Job = Awaited<ReturnType<Jobs['list']>>[number]
type Method = (request: PanelRequest) => Promise<PanelAnswer>

const twoWeeks = 14 * 24 * 3_600_000

const panel: Panel = {
  async open({ jobs, clock }) {
    const find = async (item = ''): Promise<Job> => {
      const job = (await jobs.list()).find(({ id }) => id === item)
      if (!job) throw fail('JOB_NOT_FOUND', { job: item })
      return job
    }
    const act =
      (what: Parameters<Jobs['act']>[1], say: (name: string) => string): Method =>
      async ({ item = '' }) => ({ said: say((await jobs.act(item, what)).name) })
    const methods: Readonly<Record<string, Method>> = {
      jobs: async () => ({ rows: (await jobs.list()).map(showJob) }),
      job: async ({ item }) => ({ item: showJob(await find(item)) }),
      due: async () => ({ events: (await jobs.due(clock.now() + twoWeeks)).map(({ at, name }) => ({ at, title: name })) }),
      runs: async ({ item }) => ({
        rows: (await jobs.runs({ job: item })).map(({ at, name, state, text }) => ({ at, name, state, text: text.slice(0, 400) })),
      }),
      given: async ({ item }) => {
        const { prompt, schedule, deliver } = await find(item)
        return { values: { prompt, schedule, deliver } }
      },
      add: async ({ input }) => ({ said: `The job ${(await jobs.create(input)).name} is kept.` }),
      change: async ({ input, item = '' }) => ({ said: `The job ${(await jobs.edit(item, input)).name} is changed.` }),
      run: act('run', (name) => `${name} is run as soon as a gateway sees it.`),
      pause: act('pause', (name) => `${name} waits until it is resumed.`),
      resume: act('resume', (name) => `${name} goes on.`),
      remove: act('remove', (name) => `${name} is removed.`),
    }
    return { run: async (request) => (methods[request.method] as Method)(request) }
  },
}

export default panel

function showJob({ id, name, prompt, state, schedule, zone, nextAt, skills, deliver }: Job): PanelRecord {
  return {
    ...{ id, name, prompt, state, schedule: `${schedule} (${zone})`, deliver, skills: skills.join(' ') },
    ...(nextAt === null ? {} : { nextAt }),
    ...{ isScheduled: state === 'scheduled', isPaused: state === 'paused' },
  }
}
