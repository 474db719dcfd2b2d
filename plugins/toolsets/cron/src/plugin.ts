import { definePlugin } from '@agent/plugin-sdk'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-cron',
  name: 'Jobs',
  description: 'Lets the agent make and change jobs, which are done at a time.',
  toolsets: {
    cron: {
      label: 'Jobs',
      tools,
      deferred: true,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: { host: { value: ['jobs'], reason: 'Makes and changes jobs of those whom it answers.' } },
})
