import { join } from 'node:path'
import type { Clock } from '@agent/plugin-sdk'
import { claimDue } from '../../../../host/src/gateway/jobs/claim-due.ts'
import { openPump } from '../../../../host/src/gateway/pump/pump.ts'
import { systemClock } from '../../../../host/src/kernel/clock.ts'
import { silentLog } from '../../../../host/src/observe/silent-log.ts'
import type { JobSpec } from '../../../../host/src/store/jobs.ts'
import { nativeBinding } from '../../../../host/src/store/native.ts'
import { openStore } from '../../../../host/src/store/sqlite/open.ts'
import type { Store } from '../../../../host/src/store/store.ts'
import { type Figure, median, percentile } from '../../figure.ts'

const jobs = 10_000
const rounds = 500
const hour = 3_600_000

/** Ten thousand jobs of which none is due: how long it takes to find when the next one is, what a look costs that finds nothing, and how many timers wait. */
export const jobsDue: Figure = {
  name: 'jobs-due',
  async measure({ folder, signal }) {
    const options = { durability: 'process', clock: systemClock, log: silentLog, nativeBinding: nativeBinding({}) } as const
    const [few, many] = await Promise.all(['few', 'many'].map((name) => openStore({ file: join(folder, `jobs-${name}.db`), ...options })))
    if (!few || !many) throw new Error('There are two stores.')
    try {
      await fill(few, 1, signal)
      await fill(many, jobs, signal)
      // The first looks read the index into memory.
      for (let round = 0; round < rounds / 5; round++) await look(many)
      const [floor, full] = [await measure(few), await measure(many)]
      const timers = await countTimers(many)
      const most = percentile(full.next, 0.95)
      const cpu = full.cpuMs
      return [
        {
          figure: 'jobs-next-due',
          budget: '≤ 1 ms p95',
          floor: `${percentile(floor.next, 0.95).toFixed(3)} ms with one job`,
          value: `${most.toFixed(3)} ms`,
          ok: most <= 1,
          note: `${jobs} jobs; median ${median(full.next).toFixed(3)} ms`,
        },
        {
          figure: 'jobs-idle-tick',
          budget: '≤ 1 ms of processor time',
          floor: `${floor.cpuMs.toFixed(3)} ms with one job`,
          value: `${cpu.toFixed(3)} ms`,
          ok: cpu <= 1,
          note: `a look that finds nothing to do, and when to look again; mean of ${rounds}`,
        },
        {
          figure: 'jobs-idle-timers',
          budget: '1 timer',
          floor: '',
          value: `${timers}`,
          ok: timers <= 1,
          note: `of a gateway with ${jobs} jobs that waits`,
        },
      ]
    } finally {
      for (const store of [few, many]) await store.close()
    }
  },
}

const usual: Omit<JobSpec, 'name'> = {
  ...{ prompt: 'What is new?', schedule: 'every 1h', zone: 'UTC', missed: 'run' as const, skills: [], deliver: 'local' },
  ...{ owner: 'owner', timeoutSeconds: 600 },
}

async function fill({ jobs: port }: Store, count: number, signal: AbortSignal): Promise<void> {
  for (let first = 0; first < count; first += 250) {
    signal.throwIfAborted()
    const adding = Array.from({ length: Math.min(250, count - first) }, (_, offset) => {
      const spec = { ...usual, name: `job ${first + offset}` }
      return port.add(spec, systemClock.now() + hour + (first + offset) * 1000)
    })
    await Promise.all(adding)
  }
}

/** What a tick of the scheduler does: it claims what is due, and asks when to look again. */
async function look({ jobs: port }: Store): Promise<number> {
  await claimDue({ jobs: port, owner: 'bench', onTell: () => undefined, refusalOf: () => undefined, now: systemClock.now, log: silentLog })
  const startedAt = performance.now()
  await port.nextDue()
  return performance.now() - startedAt
}

async function measure(store: Store): Promise<{ readonly next: readonly number[]; readonly cpuMs: number }> {
  const next: number[] = []
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) next.push(await look(store))
  const { user, system } = process.cpuUsage(before)
  return { next, cpuMs: (user + system) / 1_000 / rounds }
}

/** How many sleep in a pump like that of the scheduler, once it has looked and was woken for nothing. */
async function countTimers({ jobs: port }: Store): Promise<number> {
  let sleeping = 0
  const clock: Clock = {
    now: systemClock.now,
    sleep: (ms, signal) => {
      sleeping++
      return systemClock.sleep(ms, signal).finally(() => sleeping--)
    },
  }
  const stop = new AbortController()
  const source = {
    claim: () =>
      claimDue({ jobs: port, owner: 'bench', onTell: () => undefined, refusalOf: () => undefined, now: clock.now, log: silentLog }),
    nextAt: () => port.nextDue(),
    onWork: (wake: () => void) => port.onChange(wake),
  }
  const pump = openPump({ source, most: () => 3, work: async () => undefined, name: 'jobs', stop: stop.signal, clock, log: silentLog })
  for (let wake = 0; wake < 20; wake++) {
    pump.wake()
    await new Promise(setImmediate)
  }
  const found = sleeping
  stop.abort(new Error('The bench has seen enough.'))
  await pump.close()
  return found
}
