import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'memory-recall',
  name: 'Recall',
  description: 'Finds what was said in earlier conversations and fits a question.',
  memory: {
    recall: {
      label: 'Recall',
      capabilities: { recall: true },
      config,
      entry: () => import('./provider.ts'),
    },
  },
  permissions: { host: { value: ['sessions'], reason: 'Searches the earlier conversations of those whom the agent answers.' } },
})
