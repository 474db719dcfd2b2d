import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { readText } from '#kernel/read-text.ts'
import type { TriedConversation } from './tried-conversation.ts'

/** What is kept of a conversation for the next run. */
type Kept = Pick<TriedConversation, 'status' | 'seconds' | 'tokens'>
export type LastRun = Readonly<Record<string, Kept>>

export interface Difference {
  readonly file: string
  readonly name: string
  readonly change: 'new failure' | 'mended' | 'slower' | 'more tokens'
  /** What it was and what it is, for people. */
  readonly text: string
}

/** Less than this is noise. */
const least = { seconds: 1, secondsFactor: 1.5, tokens: 100, tokensFactor: 1.2 } as const
const mostBytes = 16 * 1024 * 1024

const keyOf = ({ file, name }: Pick<TriedConversation, 'file' | 'name'>): string => `${file}: ${name}`

/** What has changed since the last run. What was not run then is no change. */
export function compareRuns(before: LastRun, now: readonly TriedConversation[]): readonly Difference[] {
  return now.flatMap((outcome) => {
    const key = keyOf(outcome)
    const former = Object.hasOwn(before, key) ? before[key] : undefined
    if (!former || outcome.status === 'stopped') return []
    return describe(former, outcome).map((each) => ({ file: outcome.file, name: outcome.name, ...each }))
  })
}

function describe(former: Kept, { status, seconds, tokens }: TriedConversation): readonly Pick<Difference, 'change' | 'text'>[] {
  if (status !== former.status)
    return status === 'failed' ? [{ change: 'new failure', text: 'it passed before' }] : [{ change: 'mended', text: 'it failed before' }]
  if (status !== 'passed') return []
  const slower = seconds - former.seconds >= least.seconds && seconds >= former.seconds * least.secondsFactor
  const longer = tokens - former.tokens >= least.tokens && tokens >= former.tokens * least.tokensFactor
  return [
    ...(slower ? [{ change: 'slower' as const, text: `${formatSeconds(former.seconds)} before, ${formatSeconds(seconds)} now` }] : []),
    ...(longer ? [{ change: 'more tokens' as const, text: `${former.tokens} tokens before, ${tokens} now` }] : []),
  ]
}

export const formatSeconds = (seconds: number): string => `${seconds.toFixed(1)} s`

/** Where the last run of a folder is kept, for each model apart; a home's cache, so that nobody's repository gets a file. */
export function lastRunFile(cache: string, folder: string, model: string): string {
  return join(cache, 'evals', `${createHash('sha256').update(`${folder}\n${model}`).digest('hex').slice(0, 24)}.json`)
}

/** A file that is missing or spoilt stands for no run. */
export function readLastRun(file: string): LastRun {
  try {
    const found: unknown = JSON.parse(readText(file, { mostBytes }) ?? '{}')
    if (typeof found !== 'object' || found === null) return {}
    return Object.fromEntries(Object.entries(found).filter(([, value]) => isKept(value)))
  } catch {
    return {}
  }
}

function isKept(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { status, seconds, tokens } = value as Readonly<Record<string, unknown>>
  return (status === 'passed' || status === 'failed') && [seconds, tokens].every(Number.isFinite)
}

/** What was not run this time stays as it was. */
export function keepRun(file: string, before: LastRun, outcomes: readonly TriedConversation[]): void {
  const kept = outcomes.flatMap((outcome): readonly [string, Kept][] => {
    const { status, seconds, tokens } = outcome
    return status === 'stopped' ? [] : [[keyOf(outcome), { status, seconds, tokens }]]
  })
  writeFileAtomic(file, `${JSON.stringify({ ...before, ...Object.fromEntries(kept) }, null, 2)}\n`, { mayBeLost: true })
}
