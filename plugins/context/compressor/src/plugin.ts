import { definePlugin } from '@agent/plugin-sdk'

export default definePlugin({
  id: 'context-compressor',
  name: 'Compressor',
  description:
    'Keeps long conversations inside the window of their model: old output of tools goes first, then notes stand in for what was said.',
  permissions: {
    host: { value: ['models'], reason: 'Lets a model write the notes that stand in for the older part of a conversation.' },
  },
  context: {
    compressor: {
      label: 'Compressor',
      entry: () => import('./engine.ts'),
    },
  },
})
