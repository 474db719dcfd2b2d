import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import type { CronWish } from '#jobs/make-spec.ts'
import type { JobScript } from '#store/jobs.ts'

/** What the command line says about a job. */
export interface JobFlags {
  readonly name?: string
  readonly prompt?: string
  readonly schedule?: string
  readonly deliver?: string
  readonly skill?: readonly string[]
  readonly toolset?: readonly string[]
  readonly zone?: string
  readonly missed?: string
  readonly repeat?: string
  readonly timeout?: string
  readonly provider?: string
  readonly model?: string
  readonly paused?: true
  /** File of the script. */
  readonly script?: string
  readonly contextFrom?: readonly string[]
}

const rules = ['run', 'skip', 'tell'] as const

export function readWish({ skill, toolset, missed, repeat, timeout, script: _, ...flags }: JobFlags): CronWish {
  const rule = rules.find((each) => each === missed)
  if (missed !== undefined && rule === undefined) throw usage(`--missed takes ${rules.join(', ')}, and not "${missed}".`, '--missed tell')
  return {
    ...flags,
    ...{ skills: skill, toolsets: toolset, missed: rule },
    repeat: readNumber('--repeat', repeat),
    timeoutSeconds: readNumber('--timeout', timeout),
  }
}

/** The script that a job is to run, as it is now. */
export function readScript({ script }: JobFlags): JobScript | undefined {
  if (script === undefined) return undefined
  try {
    return { name: basename(script), text: readFileSync(script, 'utf8') }
  } catch (error) {
    throw fail('JOB_INVALID', { field: 'script', problem: `cannot be read: ${detailOf(error)}` }, { cause: error })
  }
}

function readNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw usage(`${flag} takes a whole number.`, `${flag} 5`)
  return Number(text)
}

const usage = (problem: string, example: string): Error =>
  fail('USAGE', { problem, try: `agent cron add "daily at 9:00" What is new? ${example}` })
