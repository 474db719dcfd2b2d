import { type Log, type PlatformManifest, plainDialect, renderMarkup } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { AnswerPart, Claim, ConversationRef } from '#store/journal.ts'
import type { DeliveryTarget } from '../directory/delivery-target.ts'
import { chunkText } from '../markup/chunk.ts'
import type { MediaCache } from '../media/media-cache.ts'
import { type MediaDirective, parseDirectives } from '../media/media-directives.ts'
import { type OutgoingFiles, openOutgoingFiles } from '../media/outgoing-files.ts'
import type { PlatformRules } from '../rules/platform-rules.ts'

export interface RepliesOptions {
  readonly home: Home
  readonly cache: MediaCache
  readonly catalog: Pick<Catalog, 'find'>
  readonly rules: Pick<PlatformRules, 'of'>
  /** Where a message says that its answer goes. */
  readonly resolve: (target: string) => Promise<DeliveryTarget>
  readonly log: Log
}

export interface Replies {
  /** The messages that a text becomes, as an answer to a message. */
  parts(claim: Claim, text: string): Promise<readonly AnswerPart[]>
  /** The messages that a text of the agent becomes in a place where nobody asked for it now. */
  unasked(place: ConversationRef, text: string): Promise<readonly AnswerPart[]>
}

export function openReplies(options: RepliesOptions): Replies {
  const { home, cache, catalog, rules } = options
  const folder = home.files.workspace
  // Of what the model names only its own work and what people sent may leave.
  const files = openOutgoingFiles({ cache, folder, roots: [folder, home.files.cache] })
  return {
    unasked: ({ platform }, text) => {
      const { reply_prefix: prefix } = rules.of(platform).settings
      return answerParts(text, undefined, { spec: catalog.find('platform', platform)?.spec, prefix, files })
    },
    parts: async ({ platform, message }, text) => {
      const { to, problem } = await findPlace(options, message.deliver)
      const { reply_prefix: prefix, reply_to_mode: replyToMode } = rules.of(to?.platform ?? platform).settings
      const said = problem === undefined ? text : `${text}\n\n(${problem})`
      // What somebody else wrote names no files of ours.
      const manner = message.verbatim ? { author: 'person' as const } : { prefix, files }
      const made = await answerParts(said, to ? undefined : message.id, {
        spec: catalog.find('platform', to?.platform ?? platform)?.spec,
        replyToMode,
        ...manner,
      })
      return to ? made.map((part) => ({ ...part, to })) : made
    },
  }
}

/** An answer that cannot go where it should goes back to where the message came from, and says why. */
async function findPlace(
  { resolve, log }: RepliesOptions,
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

export interface AnswerStyle {
  /** `person`: the text stays as it is written, and a file that cannot be sent is an error. The agent when absent. */
  readonly author?: 'agent' | 'person'
  readonly spec: PlatformManifest | undefined
  /** Stands before every message; empty for none. */
  readonly prefix?: string | undefined
  /** Which messages of an answer refer to the one that is answered. */
  readonly replyToMode?: 'off' | 'first' | 'all' | undefined
  /** Absent: the text names no files, whatever it says. */
  readonly files?: OutgoingFiles
}

const usualLimits = { maxLength: 4000, unit: 'characters', captionLength: 0, mediaBytes: 0 } as const

/** Makes the messages of a platform of what is said: without signs where it shows none, cut to its limit, files with them. */
export async function answerParts(said: string, replyTo: string | undefined, style: AnswerStyle): Promise<readonly AnswerPart[]> {
  const { spec, prefix = '', replyToMode = 'first', author = 'agent' } = style
  const limits = spec?.limits ?? usualLimits
  const { text, media } = style.files ? parseDirectives(said) : { text: said, media: [] }
  const { taken, notes } = await takeFiles(media, style)
  const whole = [prefix + (spec?.markup === 'plain' && author === 'agent' ? await renderPlain(text) : text), ...notes]
    .filter((one) => one !== '')
    .join('\n')
  const texts = whole === prefix ? [] : chunkText(whole, limits)
  const parts: AnswerPart[] = texts.map((part) => ({ text: part }))
  const [first] = taken
  const [only] = parts
  // One file with few words goes as one message.
  const joined = first && only && parts.length === 1 && only.text.length <= limits.captionLength
  if (joined) parts[0] = { ...only, media: [first] }
  for (const one of joined ? taken.slice(1) : taken) parts.push({ text: '', media: [one] })
  if (replyTo === undefined || replyToMode === 'off') return parts
  return parts.map((part, index) => (index === 0 || replyToMode === 'all' ? { ...part, replyTo } : part))
}

type Media = NonNullable<AnswerPart['media']>[number]

/** What the agent cannot send is told in the text instead. */
async function takeFiles(
  media: readonly MediaDirective[],
  { spec, files, author }: AnswerStyle,
): Promise<{ taken: Media[]; notes: string[] }> {
  const taken: Media[] = []
  const notes: string[] = []
  for (const directive of media) {
    if (!files || !spec?.capabilities.media) {
      if (author === 'person') throw fail('UNSUPPORTED', { what: `files (${directive.path})`, by: spec?.label ?? 'The platform' })
      notes.push(`(a file, which cannot be sent here: ${directive.path})`)
      continue
    }
    try {
      taken.push(await files.take(directive, spec.limits.mediaBytes))
    } catch (error) {
      if (author === 'person' || !isAgentError(error)) throw error
      notes.push(`(a file was not sent: ${error.message})`)
    }
  }
  return { taken, notes }
}

/** The parser is loaded with the first answer that needs it. */
async function renderPlain(text: string): Promise<string> {
  if (!/[*_`#~[\]|>!\\<&]|^[ \t]*-/m.test(text)) return text
  const { parseMarkdown } = await import('../markup/parse-markdown.ts')
  return renderMarkup(await parseMarkdown(text), plainDialect)
}
