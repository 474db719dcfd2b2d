import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

const item = z.strictObject({
  id: z.string().min(1).max(64),
  content: z.string().max(1000).optional(),
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']).optional(),
})

export const tools = defineTools({
  todo: {
    description: 'Plan work of several steps. Without todos it shows the list. merge updates items by id; else the list is replaced.',
    parameters: z.strictObject({ todos: z.array(item).max(100).optional(), merge: z.boolean().optional() }),
    effect: 'none',
    replaySafe: true,
  },
})
