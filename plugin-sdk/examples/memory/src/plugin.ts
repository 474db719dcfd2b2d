import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'memory-sample',
  name: 'Sample',
  description: 'Keeps notes in the state of the plugin.',
  memory: {
    sample: {
      label: 'Sample',
      capabilities: { snapshot: true, change: true, recall: true },
      config,
      entry: () => import('./provider.ts'),
    },
  },
})
