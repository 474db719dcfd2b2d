import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

export const tools = defineTools({
  memory: {
    description:
      'Keep short facts for later conversations: memory for notes, user for who the person is. replace and remove take old_text, a unique part of the entry. Save preferences, corrections and lasting facts; no secrets, no passing state.',
    parameters: z.strictObject({
      action: z.enum(['add', 'replace', 'remove']),
      target: z.enum(['memory', 'user']),
      content: z.string().max(4000).optional(),
      old_text: z.string().max(4000).optional(),
    }),
    effect: 'none',
    needsMemory: 'change',
  },
  recall: {
    description: 'Ask what is remembered from earlier conversations that fits a question.',
    parameters: z.strictObject({ query: z.string().min(1).max(1000) }),
    effect: 'read',
    needsMemory: 'recall',
    replaySafe: true,
    parallel: true,
  },
})
