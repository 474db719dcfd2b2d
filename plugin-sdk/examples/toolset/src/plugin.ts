import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'
import { config } from './config.ts'

export default definePlugin({
  id: 'toolset-sample',
  name: 'Sample',
  description: 'Keeps notes for the agent.',
  toolsets: {
    sample: {
      label: 'Sample',
      config,
      tools: {
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
      },
      entry: () => import('./toolset.ts'),
    },
  },
})
