import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'memory-files',
  name: 'Memory files',
  description: 'Keeps what the agent remembers in two text files that people can edit.',
  memory: {
    files: {
      label: 'Files',
      capabilities: { snapshot: true, change: true },
      files: ['MEMORY.md', 'USER.md'],
      config,
      configBlock: 'memory',
      entry: () => import('./provider.ts'),
    },
  },
})
