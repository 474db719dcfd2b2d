import type { Clock, CompleteConnection, Log, PlatformManifest } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { AgentTurns } from '#agent/turns.ts'
import type { Home } from '#config/home.ts'
import type { PlatformSettings } from '#config/platform-settings.ts'
import type { AnswerPart, Claim, ConversationRef, Journal } from '#store/journal.ts'
import type { MediaCache } from '../media/media-cache.ts'
import { openOutgoingFiles } from '../media/outgoing-files.ts'
import { answerParts } from './answer-parts.ts'
import type { DeliveryTarget } from './delivery-target.ts'
import { runMessagingTurn, type TurnControl } from './messaging-turn.ts'

export interface SpeechOptions {
  readonly home: Home
  readonly journal: Journal
  readonly turns: Pick<AgentTurns, 'runRecorded'>
  readonly cache: MediaCache
  /** Manifest of a messaging platform; undefined when it is not there any more. */
  readonly spec: (platform: string) => PlatformManifest | undefined
  readonly connection: (platform: string) => CompleteConnection | undefined
  readonly settings: (platform: string) => PlatformSettings
  /** True while an answer may be changed before it is sent. */
  readonly revises: () => boolean
  /** Where a message says that its answer goes. */
  readonly resolve: (target: string) => Promise<DeliveryTarget>
  readonly clock: Clock
  readonly log: Log
}

/** How the agent speaks on platforms. */
export interface Speech {
  /** The messages that a text becomes, as an answer to a message. */
  parts(claim: Claim, text: string): Promise<readonly AnswerPart[]>
  runTurn(claim: Claim, sessionKey: string, signal: AbortSignal, control?: TurnControl): Promise<void>
}

export function openSpeech(options: SpeechOptions): Speech {
  const { home, journal, turns, cache, clock, log } = options
  const folder = home.files.workspace
  // Of what the model names only its own work and what people sent may leave.
  const files = openOutgoingFiles({ cache, folder, roots: [folder, home.files.cache] })
  const parts: Speech['parts'] = async ({ platform, message }, text) => {
    const { to, problem } = await findPlace(options, message.deliver)
    const { reply_prefix: prefix, reply_to_mode: replyToMode } = options.settings(to?.platform ?? platform)
    const said = problem === undefined ? text : `${text}\n\n(${problem})`
    // What somebody else wrote names no files of ours.
    const manner = message.verbatim ? { author: 'person' as const } : { prefix, files }
    const made = await answerParts(said, to ? undefined : message.id, {
      spec: options.spec(to?.platform ?? platform),
      replyToMode,
      ...manner,
    })
    return to ? made.map((part) => ({ ...part, to })) : made
  }
  return {
    parts,
    runTurn: (claim, key, signal, control) => {
      const { platform } = claim
      const spec = options.spec(platform)
      if (!spec) throw fail('PLATFORM_UNKNOWN', { platform })
      const { streaming, typing, reactions, reply_prefix: prefix, reply_to_mode } = options.settings(platform)
      // What grows while it is written would grow where nobody reads it, and be seen before hooks could change it.
      const manners = {
        streaming: streaming && claim.message.deliver === undefined && !options.revises(),
        typing,
        reactions,
        prefix,
        refers: reply_to_mode !== 'off',
      }
      const connection = () => options.connection(platform)
      return runMessagingTurn({ journal, turns, spec, connection, manners, cache, parts, clock, log }, claim, key, signal, control)
    },
  }
}

/** An answer that cannot go where it should goes back to where the message came from, and says why. */
async function findPlace(
  { resolve, log }: SpeechOptions,
  deliver: string | undefined,
): Promise<{ readonly to?: ConversationRef; readonly problem?: string }> {
  if (deliver === undefined) return {}
  try {
    const target = await resolve(deliver)
    return target.type === 'place' ? { to: target.place } : {}
  } catch (error) {
    if (!isAgentError(error)) throw error
    log.error('an answer cannot go where it should', { target: deliver, code: error.code, error: error.message })
    return { problem: `It could not be delivered to ${deliver}: ${error.message}` }
  }
}
