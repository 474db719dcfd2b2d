import { definePlugin } from '@agent/plugin-sdk'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-memory',
  name: 'Memory',
  description: 'Lets the agent remember things from one conversation to the next.',
  toolsets: {
    memory: {
      label: 'Memory',
      sets: ['coding'],
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: { host: { value: ['memory'], reason: 'Changes and reads the memory of those whom it answers.' } },
})
