import { type PlatformManifest, plainDialect, renderMarkup } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { AnswerPart } from '#store/journal.ts'
import { type MediaDirective, parseDirectives } from '../media/media-directives.ts'
import type { OutgoingFiles } from '../media/outgoing-files.ts'
import { chunkText } from './chunk.ts'

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
  const texts = whole === prefix && taken.length > 0 ? [] : chunkText(whole, limits)
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
  if (!/[*_`#~[\]|>!\\<&-]/.test(text)) return text
  const { parseMarkdown } = await import('../markup/parse-markdown.ts')
  return renderMarkup(parseMarkdown(text), plainDialect)
}
