import { type CompressRequest, estimateTokens, type InputPart, type Log, type ModelMessage } from '@agent/plugin-sdk'
import type { Config } from '#config/schema/schema.ts'
import type { Compression } from '#store/sessions.ts'
import type { Beneficiary } from '#store/usage.ts'
import { changedRules, type RuleReader } from '../rules/changed-rules.ts'
import type { ContextEngines } from './engines.ts'
import { roomOf } from './limits.ts'
import { putReadings, readRulesAgain, readSkillsAgain, type SkillReader, takeOutReadings } from './read-again.ts'

export interface ShortenOptions {
  readonly engines: Pick<ContextEngines, 'compress'>
  /** `compression` as it is now. */
  readonly settings: () => Config['compression']
  readonly skills: SkillReader
  readonly rules: RuleReader
  readonly log: Log
}

/** A conversation that is to become shorter, with what is sent beside it. */
export interface Long extends Pick<CompressRequest, 'reason' | 'focus' | 'window'> {
  readonly heard: readonly ModelMessage[]
  readonly system: string
  readonly session: string
  /** Tokens of prompt and tools. */
  readonly fixed: number
  /** From how many tokens on it is too long. */
  readonly limit: number
  readonly served: Beneficiary
  /** Tokens of it as its service counted them, or as they are thought to be. */
  readonly tokens: number
  /** Tells its person what was left out of its rules; absent: the log has it. */
  readonly say?: (text: string) => void
}

export interface Short extends Omit<Compression, 'upTo'> {
  /** All that the model hears, the last message among it. */
  readonly messages: readonly ModelMessage[]
}

/**
 * Makes a conversation shorter; undefined where nothing can be gained, because what is left is little beside prompt and tools. Rejects where the caller
 * gives up, and where only a model may do it and none did.
 */
export async function shorten(options: ShortenOptions, long: Long, signal: AbortSignal): Promise<Short | undefined> {
  const { engines, settings } = options
  const { heard, fixed, limit, window, reason, focus, tokens, served } = long
  const wanted = settings()
  const { messages, skills: used } = takeOutReadings(heard)
  const before = estimateTokens(messages)
  const most = roomOf(wanted, { limit, window, fixed })
  const room = reason === 'asked' ? Math.min(most, Math.floor(before / 2)) : most
  if (before <= room || messages.length < 3) return undefined
  const readings = await readAgain(options, long, { used, room: room / 2 })
  const rest = room - tokensIn(readings)
  const request: CompressRequest = {
    ...{ messages, room: rest, window, reason },
    // The prompt counts as the first one in the settings.
    ...{ keepFirst: Math.max(0, wanted.protect_first_n - 1), keepLast: wanted.protect_last_n },
    ...(focus === undefined || focus === '' ? {} : { focus }),
    ...(wanted.abort_on_summary_failure ? { onlyByModel: true } : {}),
  }
  const kept = putReadings(await engines.compress(request, signal, served), readings)
  const after = estimateTokens(kept)
  if (after >= estimateTokens(heard)) return undefined
  return { messages: kept, reason, tokensBefore: tokens, tokensAfter: fixed + after }
}

const tokensIn = (readings: readonly InputPart[]): number => readings.reduce((tokens, reading) => tokens + estimateTokens(reading), 0)

/** Rules come first: a skill can be viewed again. */
async function readAgain(
  { skills, rules, log }: ShortenOptions,
  { system, session, say }: Long,
  { used, room }: { readonly used: readonly string[]; readonly room: number },
): Promise<readonly InputPart[]> {
  const changed = changedRules(system, rules)
  const tell = (problem: string): void => {
    log.warn('rules were not read again', { problem })
    say?.(problem)
  }
  for (const note of changed.notes) tell(note)
  const ruled = readRulesAgain(changed, { room, onLost: (file) => tell(`${file} has changed, and there is no room for it.`) })
  const known = await readSkillsAgain(used, skills, {
    session,
    room: room - (ruled ? estimateTokens(ruled) : 0),
    onLost: (skill, problem) => log.warn('a skill was not read again', { skill, problem }),
  })
  return [ruled, known].filter((reading) => reading !== undefined)
}
