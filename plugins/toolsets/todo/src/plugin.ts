import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'

const item = z.strictObject({
  id: z.string().min(1).max(64),
  content: z.string().max(1000).optional(),
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']).optional(),
})

export default definePlugin({
  id: 'toolset-todo',
  name: 'Todo',
  description: 'A task list for work of several steps, kept per session.',
  toolsets: {
    todo: {
      label: 'Todo',
      tools: {
        todo: {
          description: 'Plan work of several steps. Without todos it shows the list. merge updates items by id; else the list is replaced.',
          parameters: z.strictObject({ todos: z.array(item).max(100).optional(), merge: z.boolean().optional() }),
          effect: 'none',
          replaySafe: true,
        },
      },
      entry: () => import('./toolset.ts'),
    },
  },
})
