import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'context-sample',
  name: 'Sample',
  description: 'Keeps long conversations short by leaving their oldest turns out.',
  context: {
    sample: {
      label: 'Sample',
      config,
      entry: () => import('./engine.ts'),
    },
  },
})
