import { definePlugin } from '@agent/plugin-sdk'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-session-search',
  name: 'Session search',
  description: 'Lets the agent look into earlier conversations with the same person or group.',
  toolsets: {
    'session-search': {
      label: 'Session search',
      sets: ['coding'],
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: { host: { value: ['sessions'], reason: 'Reads earlier conversations of those whom it answers.' } },
})
