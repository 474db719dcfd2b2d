import { fail, fromWireError } from '@agent/plugin-sdk/errors'
import { formatTime } from '#commands/jobs/format-job.ts'
import type { CronJob, JobRun } from '#store/jobs.ts'

/** Whether the agent wants nothing to be said: the mark is its whole answer, or alone in its last line. What only speaks of the mark is said. */
export function isSilent(output: string): boolean {
  return output.trim().split('\n').at(-1)?.trim() === '[SILENT]'
}

/** What people hear of a run; empty where there is nothing to be said. */
export function textOf({ job, run }: { readonly job: CronJob; readonly run: JobRun }, { named }: { readonly named: boolean }): string {
  const { name, zone } = job
  const due = `${formatTime(run.dueAt, zone)} (${zone})`
  if (run.state === 'missed')
    return `The job "${name}" was missed. ${fail('JOB_MISSED', { times: formatTimes(due, run.collapsed) }).message}`
  if (run.state === 'lost') return `The job "${name}", due ${due}, was broken off. ${fail('JOB_LOST').message}`
  if (run.state === 'failed') {
    const said = run.output === '' ? '' : `\n\n${run.output}`
    return `The job "${name}", due ${due}, failed. ${run.error ? fromWireError(run.error).message : ''}${said}`
  }
  if (run.output === '') return ''
  return named ? `**${name}**\n\n${run.output}` : run.output
}

function formatTimes(due: string, collapsed: number): string {
  return collapsed === 0 ? due : `${due}, and ${collapsed === 1 ? 'once' : `${collapsed} times`} since`
}
