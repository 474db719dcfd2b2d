import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'gate-sample',
  name: 'Sample',
  description: 'Lets people into the dashboard whom the Sample directory knows.',
  env: [{ name: 'SAMPLE_DIRECTORY_KEY', secret: true, required: true, prompt: 'Key of the Sample directory' }],
  permissions: {
    net: {
      value: ['any', 'private'],
      reason: 'Sends the name and the password of who logs in to the server that plugins.entries.gate-sample.config.server names.',
    },
  },
  gates: {
    sample: {
      label: 'Sample directory',
      way: 'password',
      env: ['SAMPLE_DIRECTORY_KEY'],
      config,
      entry: () => import('./gate.ts'),
    },
  },
})
