import type { PlatformManifest } from '@agent/plugin-sdk'
import type { AnswerPart } from '#store/journal.ts'
import { chunkText } from './chunk.ts'

const usualLimits = { maxLength: 4000, unit: 'characters' } as const

/** Cuts what is said into the messages of a platform. */
export function answerParts(text: string, spec: PlatformManifest | undefined, replyTo: string): readonly AnswerPart[] {
  return chunkText(text, spec?.limits ?? usualLimits).map((part) => ({ text: part, replyTo }))
}
