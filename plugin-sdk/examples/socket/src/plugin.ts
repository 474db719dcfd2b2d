import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'socket-sample',
  name: 'Socket',
  description: 'Connects the agent to a chat by lines of text over TLS.',
  env: [{ name: 'SOCKET_SAMPLE_TOKEN', secret: true, required: true, prompt: 'Token of the bot' }],
  permissions: {
    net: { value: ['any', 'private'], reason: 'Receives and sends messages at the server that platforms.socket-sample.extra.host names.' },
  },
  platforms: {
    'socket-sample': {
      label: 'Socket',
      door: 'messaging',
      reach: 'people',
      capabilities: { findSent: true },
      // Escaped it has up to twice as many bytes, and shares its line with the key and the conversation.
      limits: { maxLength: 1500, unit: 'bytes' },
      env: ['SOCKET_SAMPLE_TOKEN'],
      singletonLock: 'SOCKET_SAMPLE_TOKEN',
      config,
      entry: () => import('./connection.ts'),
    },
  },
})
