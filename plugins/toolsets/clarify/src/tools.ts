import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

export const tools = defineTools({
  clarify: {
    description: 'Ask the person a question and wait for the answer. They may choose or write their own.',
    parameters: z.strictObject({
      question: z.string().min(1).max(2000),
      choices: z.array(z.string().min(1).max(200)).max(4).default([]),
    }),
    effect: 'none',
    replaySafe: true,
    timeoutMs: 3_600_000,
  },
})
