import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'provider-sample',
  name: 'Sample',
  description: 'Models of the Sample service.',
  env: [{ name: 'SAMPLE_API_KEY', secret: true, required: false, prompt: 'Key of the Sample service' }],
  permissions: {
    net: {
      value: ['any', 'private'],
      reason: 'Sends the conversation to the server that plugins.entries.provider-sample.config.server names.',
    },
  },
  providers: {
    sample: {
      label: 'Sample',
      auth: 'api-key',
      keyEnv: ['SAMPLE_API_KEY'],
      defaultModel: 'sample-large',
      config,
      entry: () => import('./provider.ts'),
    },
  },
})
