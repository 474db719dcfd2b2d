import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJobDesk } from '../../../host/src/jobs/job-desk.ts'
import { silentLog } from '../../../host/src/observe/silent-log.ts'
import type { CronJob, MissedRule } from '../../../host/src/store/jobs.ts'
import { nativeBinding } from '../../../host/src/store/native.ts'
import { openStore } from '../../../host/src/store/sqlite/open.ts'
import type { Store } from '../../../host/src/store/store.ts'
import { createRandom, type Random } from '../random.ts'
import { createYearClock, type YearClock } from './clock.ts'
import { beyond, forms, type Span, type Written } from './forms.ts'
import { liveYear } from './live.ts'
import { report } from './report.ts'
import { openZone, type Zone } from './zones.ts'

const day = 86_400_000
const zoneNames = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'] as const
const rules: readonly [MissedRule, ...MissedRule[]] = ['run', 'skip', 'tell']

interface YearOptions {
  readonly seed: number
  /** Of the year. */
  readonly scale: number
}

/** A job, and how it was written. */
export interface Made {
  readonly form: string
  readonly job: CronJob
  readonly zone: Zone
  readonly written: Written
}

/**
 * Lets 500 jobs live through a year in three zones, while clocks are set, gateways are killed at any point, and two of them share a store. Each due
 * time, as the data of zones says and not our own code, has to become exactly one run, by the rule for what is missed.
 */
export async function runYear({ seed, scale }: YearOptions): Promise<boolean> {
  console.log(`500 jobs through ${Math.round(365 * scale)} days; --seed ${seed} repeats this run`)
  const span: Span = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 1) + Math.round(365 * scale) * day }
  const folder = mkdtempSync(join(tmpdir(), 'agent-year-'))
  const random = createRandom(seed)
  const clock = createYearClock(span.from)
  const stores = await Promise.all(
    [0, 1].map(() =>
      openStore({ ...{ file: join(folder, 'state.db'), durability: 'process', clock, log: silentLog }, nativeBinding: nativeBinding({}) }),
    ),
  )
  try {
    const [first, second] = stores
    if (!first || !second) throw new Error('There are two stores.')
    const made = await makeJobs(first, { clock, random, span })
    const year = await liveYear({ clock, random, span, stores: [first, second] })
    return await report({ store: first, made, span, year })
  } finally {
    for (const store of stores) await store.close()
    rmSync(folder, { recursive: true })
  }
}

interface Maker {
  readonly clock: YearClock
  readonly random: Random
  readonly span: Span
}

/** All jobs are made on the first day, as the command line makes them. */
async function makeJobs(store: Store, { clock, random, span }: Maker): Promise<readonly Made[]> {
  const zones = zoneNames.map((name) => openZone(name, span.from - 3 * day, span.to + beyond + 3 * day))
  const desk = createJobDesk({
    // Nobody counts how many there are: that takes longer than the year.
    ...{
      jobs: { ...store.jobs, list: async () => [] },
      now: clock.now,
      zone: () => 'UTC',
      catchesUp: () => true,
      knows: () => true,
      posted: store.journal.posted,
    },
  })
  const made: Made[] = []
  for (const { name: form, share, write } of forms) {
    for (let count = 0; count < share; count++) {
      const zone = zones[made.length % zones.length]
      const written = write(random, span)
      if (!zone) continue
      const wish = { name: `${form} ${made.length}`, prompt: 'x', schedule: written.text, zone: zone.name, missed: random.pick(rules) }
      const { job } = await desk.create(wish, { owner: 'owner' })
      const whole = await store.jobs.change(job.id, (found) => ({ ...found, prompt: `Do the job ${job.id} now.` }))
      made.push({ form, job: whole ?? job, zone, written })
    }
  }
  return made
}
