import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-web',
  name: 'Web',
  description: 'Searches the web and reads pages.',
  toolsets: {
    web: {
      label: 'Web',
      sets: ['coding', 'debugging', 'safe'],
      config,
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: { host: { value: ['web'], reason: 'Searches and reads through the web backend that was chosen.' } },
})
