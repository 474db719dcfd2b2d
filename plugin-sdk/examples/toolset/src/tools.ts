import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

export const tools = defineTools({
  sample_note: {
    description: 'Keep a note for later in this conversation, or list the notes when no text is given.',
    parameters: z.strictObject({ text: z.string().max(1000).optional() }),
    effect: 'none',
  },
  sample_wait: {
    description: 'Wait for some seconds.',
    parameters: z.strictObject({ seconds: z.int().min(0).max(600) }),
    effect: 'none',
    parallel: true,
  },
})
