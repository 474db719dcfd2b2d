import { definePlugin } from '@agent/plugin-sdk'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-delegation',
  name: 'Delegation',
  description: 'Lets the agent hand tasks to child agents.',
  toolsets: {
    delegation: {
      label: 'Delegation',
      sets: ['coding'],
      deferred: true,
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: { host: { value: ['agents.run'], reason: 'Runs child agents for the agent.' } },
})
