import { fail } from '@agent/plugin-sdk/errors'
import { describeNext, describeRun, formatTime } from '#commands/jobs/format-job.ts'
import { findInstance } from '#gateway/instance/instance.ts'
import type { JobDesk } from '#jobs/job-desk.ts'
import type { CronWish } from '#jobs/make-spec.ts'
import { printable } from '#observe/printable.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import type { CronJob, JobScript } from '#store/jobs.ts'
import { profileOwner } from '#tools/memory/owner.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'

export async function listJobs(cli: Cli, desk: JobDesk, json: boolean): Promise<void> {
  const jobs = await desk.list({})
  const last = new Map((await desk.newest()).map((run) => [run.job, run]))
  if (json) return cli.json({ jobs: jobs.map((job) => ({ ...job, last: last.get(job.id) ?? null })) })
  if (jobs.length === 0) return cli.out('There are no jobs. agent cron add "daily at 9:00" What is new? makes one.')
  const rowOf = (job: CronJob): readonly string[] => {
    const run = last.get(job.id)
    return [
      job.id,
      paint(cli, 'cyan', printable(job.name)),
      job.schedule,
      printable(explainNext(job)),
      job.deliver,
      run ? printable(describeRun(run)) : 'not run yet',
    ]
  }
  cli.out(formatTable([['id', 'name', 'schedule', 'next', 'to', 'last'], ...jobs.map(rowOf)]))
  tellWithoutGateway(cli)
}

export async function showJob(cli: Cli, desk: JobDesk, reference: string, json: boolean): Promise<void> {
  const job = await desk.find(reference, {})
  const [last] = await desk.history(1, { job: job.id })
  if (json) return cli.json({ job: { ...job, last: last ?? null } })
  const rows = [
    ...[
      ['id', job.id],
      ['name', job.name],
      ['schedule', `${job.schedule} (${job.zone})`],
      ['next', explainNext(job)],
    ],
    ...[
      ['to', job.deliver],
      ['missed', job.missed],
      ['runs', String(job.completed)],
    ],
    ...(job.skills.length > 0 ? [['skills', job.skills.join(', ')]] : []),
    ...(job.toolsets ? [['toolsets', job.toolsets.join(', ')]] : []),
    ...(job.owner === profileOwner ? [] : [['of', job.owner]]),
    ...(job.contextFrom ? [['answers of', job.contextFrom.join(', ')]] : []),
    job.script ? ['script', job.script.name] : ['prompt', job.prompt],
    ...(last ? [['last', describeRun(last)]] : []),
  ]
  cli.out(formatTable(rows.map((row) => row.map(printable))))
  if (job.script) cli.out(`\n${job.script.text.split('\n').map(printable).join('\n')}`)
  if (last?.output) cli.out(`\n${last.output.split('\n').map(printable).join('\n')}`)
}

/** With the reason where the gateway paused it. */
const explainNext = (job: CronJob): string => (job.pausedWhy === undefined ? describeNext(job) : `${describeNext(job)}: ${job.pausedWhy}`)

export async function addJob(cli: Cli, desk: JobDesk, wish: CronWish, script: JobScript | undefined): Promise<void> {
  const { job, isNew } = await desk.create(wish, { owner: profileOwner, terminal: { script } })
  cli.out(
    `${isNew ? 'The job is kept' : 'There was such a job; it is changed'}: ${printable(job.name)} (${job.id}), next ${describeNext(job)}.`,
  )
  tellWithoutGateway(cli)
}

interface JobEdit {
  readonly job: string
  readonly wish: CronWish
  readonly script: JobScript | undefined
}

export async function editJob(cli: Cli, desk: JobDesk, { job: reference, wish, script }: JobEdit): Promise<void> {
  const job = await desk.edit(reference, wish, { terminal: { script } })
  cli.out(`The job is changed: ${printable(job.name)} (${job.id}), next ${describeNext(job)}.`)
}

interface HistoryWish {
  readonly job: string | undefined
  readonly limit: string
  readonly json: boolean
}

export async function showHistory(cli: Cli, desk: JobDesk, { job, limit, json }: HistoryWish): Promise<void> {
  const most = Number(limit)
  if (!Number.isInteger(most) || most < 1)
    throw fail('USAGE', { problem: '--limit takes a number from 1 on.', try: 'agent cron history --limit 5' })
  const runs = await desk.history(most, { job })
  if (json) return cli.json({ runs })
  if (runs.length === 0) return cli.out('Nothing was run yet.')
  const jobs = new Map((await desk.list({})).map((each) => [each.id, each]))
  const rows = runs.map((run) => {
    const { name = run.job, zone = 'UTC' } = jobs.get(run.job) ?? {}
    return [
      formatTime(run.dueAt, zone),
      paint(cli, 'cyan', printable(name)),
      printable(describeRun(run)),
      printable(run.output.split('\n')[0]?.slice(0, 80) ?? ''),
    ]
  })
  cli.out(formatTable([['due', 'job', 'run', 'answer'], ...rows]))
}

function tellWithoutGateway(cli: Cli): void {
  if (!findInstance(openHomeOf(cli))) cli.note('No gateway runs, so no job is run: agent gateway run starts one.')
}
