import type { HostEvents, Wire } from '@agent/plugin-sdk'

type End = HostEvents['job.end']

const problems: Readonly<Record<string, string>> = {
  failed: 'has failed',
  lost: 'was cut off, and nobody knows how far it came',
  missed: 'was missed',
}

/** What is said of the end of a job: nothing where all went well, or where it is about none of the jobs that were named. */
export function describeEnd(data: Wire, jobs: readonly string[]): string | undefined {
  const { name, state, text } = (data ?? {}) as unknown as Partial<End>
  const problem = problems[state ?? '']
  if (name === undefined || problem === undefined) return undefined
  if (jobs.length > 0 && !jobs.includes(name)) return undefined
  return text ? `The job **${name}** ${problem}: ${text}` : `The job **${name}** ${problem}.`
}
