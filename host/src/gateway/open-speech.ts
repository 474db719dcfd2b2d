import type { Clock, CompleteConnection, Log, PlatformManifest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { AgentTurns } from '#agent/turns.ts'
import type { Home } from '#config/home.ts'
import type { PlatformSettings } from '#config/platform-settings.ts'
import type { AnswerPart, Claim, Journal } from '#store/journal.ts'
import { answerParts } from './answer-parts.ts'
import type { MediaCache } from './media-cache.ts'
import { runMessagingTurn } from './messaging-turn.ts'
import { openOutgoingFiles } from './outgoing-files.ts'

export interface SpeechOptions {
  readonly home: Home
  readonly journal: Journal
  readonly turns: Pick<AgentTurns, 'runRecorded'>
  readonly cache: MediaCache
  /** Manifest of a messaging platform; undefined when it is not there any more. */
  readonly spec: (platform: string) => PlatformManifest | undefined
  readonly connection: (platform: string) => CompleteConnection | undefined
  readonly settings: (platform: string) => PlatformSettings
  readonly clock: Clock
  readonly log: Log
}

/** How the agent speaks on platforms. */
export interface Speech {
  /** The messages that a text becomes, as an answer to a message. */
  parts(claim: Claim, text: string): Promise<readonly AnswerPart[]>
  runTurn(claim: Claim, sessionKey: string, signal: AbortSignal): Promise<void>
}

export function openSpeech(options: SpeechOptions): Speech {
  const { home, journal, turns, cache, clock, log } = options
  const folder = home.files.workspace
  // Of what the model names only its own work and what people sent may leave.
  const files = openOutgoingFiles({ cache, folder, roots: [folder, home.files.cache] })
  const parts: Speech['parts'] = ({ platform, message }, text) => {
    const { reply_prefix: prefix, reply_to_mode: replyToMode } = options.settings(platform)
    return answerParts(text, message.id, { spec: options.spec(platform), prefix, replyToMode, files })
  }
  return {
    parts,
    runTurn: (claim, key, signal) => {
      const { platform } = claim
      const spec = options.spec(platform)
      if (!spec) throw fail('PLATFORM_UNKNOWN', { platform })
      const { streaming, typing, reactions, reply_prefix: prefix } = options.settings(platform)
      const manners = { streaming, typing, reactions, prefix }
      const connection = () => options.connection(platform)
      return runMessagingTurn({ journal, turns, spec, connection, manners, cache, parts, clock, log }, claim, key, signal)
    },
  }
}
