import { fail } from '@agent/plugin-sdk/errors'
import type { CronWish } from '#jobs/make-spec.ts'

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
}

const rules = ['run', 'skip', 'tell'] as const

export function readWish({ skill, toolset, missed, repeat, timeout, ...flags }: JobFlags): CronWish {
  const rule = rules.find((each) => each === missed)
  if (missed !== undefined && rule === undefined) throw usage(`--missed takes ${rules.join(', ')}, and not "${missed}".`, '--missed tell')
  return {
    ...flags,
    ...{ skills: skill, toolsets: toolset, missed: rule },
    repeat: readNumber('--repeat', repeat),
    timeoutSeconds: readNumber('--timeout', timeout),
  }
}

function readNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw usage(`${flag} takes a whole number.`, `${flag} 5`)
  return Number(text)
}

const usage = (problem: string, example: string): Error =>
  fail('USAGE', { problem, try: `agent cron add "daily at 9:00" What is new? ${example}` })
