import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'hooks-sample',
  name: 'Sample',
  description: 'Keeps tools away from folders that are off limits.',
  hooks: {
    sample: {
      label: 'Sample',
      config,
      hooks: [{ name: 'tool.before' }, { name: 'turn.before', budgetMs: 500 }],
      entry: () => import('./hooks.ts'),
    },
  },
})
