import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-sample',
  name: 'Sample',
  description: 'Keeps notes for the agent.',
  toolsets: {
    sample: {
      label: 'Sample',
      config,
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
})
