import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'notifier-sample',
  name: 'Sample',
  description: 'Says when a job has not done what it should.',
  notifiers: {
    sample: {
      label: 'Sample',
      events: ['job.end'],
      config,
      entry: () => import('./notifier.ts'),
    },
  },
})
