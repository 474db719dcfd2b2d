import { definePlugin } from '@agent/plugin-sdk'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-clarify',
  name: 'Clarify',
  description: 'Lets the agent ask the person a question.',
  toolsets: {
    clarify: {
      label: 'Clarify',
      sets: ['coding'],
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: { host: { value: ['clarify'], reason: 'Asks the person who talks to the agent.' } },
})
