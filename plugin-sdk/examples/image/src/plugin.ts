import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'image-sample',
  name: 'Sample',
  description: 'Paints pictures with the Sample service.',
  env: [{ name: 'SAMPLE_API_KEY', secret: true, required: true, prompt: 'Key of the Sample service' }],
  permissions: {
    net: { value: ['any', 'private'], reason: 'Sends prompts to the server that plugins.entries.image-sample.config.server names.' },
  },
  images: {
    sample: {
      label: 'Sample',
      env: ['SAMPLE_API_KEY'],
      config,
      entry: () => import('./paint.ts'),
    },
  },
})
