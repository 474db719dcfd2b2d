import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'web-backend-sample',
  name: 'Sample',
  description: 'Searches the web with the Sample service.',
  env: [{ name: 'SAMPLE_API_KEY', secret: true, required: true, prompt: 'Key of the Sample service' }],
  permissions: {
    net: {
      value: ['any', 'private'],
      reason: 'Sends searches and addresses to the server that plugins.entries.web-backend-sample.config.server names.',
    },
  },
  webBackends: {
    sample: {
      label: 'Sample',
      capabilities: { search: true, extract: true },
      env: ['SAMPLE_API_KEY'],
      config,
      entry: () => import('./web.ts'),
    },
  },
})
