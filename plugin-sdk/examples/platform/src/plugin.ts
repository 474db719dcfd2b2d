import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'platform-sample',
  name: 'Sample',
  description: 'Connects the agent to the Sample chat.',
  env: [{ name: 'SAMPLE_TOKEN', secret: true, required: true, prompt: 'Token of the bot' }],
  permissions: {
    net: { value: ['any', 'private'], reason: 'Receives and sends messages at the server that platforms.sample.extra.server names.' },
  },
  platforms: {
    sample: {
      label: 'Sample',
      door: 'messaging',
      reach: 'people',
      capabilities: { idempotentSend: true },
      limits: { maxLength: 2000 },
      env: ['SAMPLE_TOKEN'],
      singletonLock: 'SAMPLE_TOKEN',
      config,
      entry: () => import('./connection.ts'),
    },
  },
})
