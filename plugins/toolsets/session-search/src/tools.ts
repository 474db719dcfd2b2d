import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

export const tools = defineTools({
  session_search: {
    description:
      'Look into earlier conversations. With query: find messages. With session: read its messages, from number on. With neither: list the latest sessions.',
    parameters: z.strictObject({
      query: z.string().min(1).max(1000).optional(),
      session: z.string().min(1).max(100).optional(),
      number: z.int().min(1).optional(),
      limit: z.int().min(1).max(50).default(10),
    }),
    effect: 'read',
    replaySafe: true,
    parallel: true,
  },
})
