import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'platform-ntfy',
  name: 'ntfy',
  description: 'Lets people talk to the agent through a topic of an ntfy server.',
  platforms: {
    ntfy: {
      label: 'ntfy',
      door: 'messaging',
      reach: 'people',
      capabilities: { findSent: true },
      limits: { maxLength: 4096, unit: 'bytes' },
      markup: 'plain',
      promptHint:
        'ntfy shows each answer as a notification on a phone, in plain text: no Markdown, no tables, no code fences. Put what matters into the first sentence.',
      env: [
        'NTFY_TOPIC',
        'NTFY_SERVER_URL',
        'NTFY_TOKEN',
        'NTFY_PUBLISH_TOPIC',
        'NTFY_ALLOWED_USERS',
        'NTFY_ALLOW_ALL_USERS',
        'NTFY_HOME_CHANNEL',
      ],
      config,
      entry: () => import('./connection.ts'),
    },
  },
  env: [
    { name: 'NTFY_TOPIC', secret: false, required: true, prompt: 'Topic on which people talk to the agent' },
    { name: 'NTFY_SERVER_URL', secret: false, required: false, value: 'address', prompt: 'Address of the ntfy server (https://ntfy.sh)' },
    { name: 'NTFY_TOKEN', secret: true, required: false, prompt: 'Access token (tk_…), or user:password' },
    { name: 'NTFY_PUBLISH_TOPIC', secret: false, required: false, prompt: 'Topic for the answers, where it is another one' },
    { name: 'NTFY_ALLOWED_USERS', secret: false, required: false, prompt: 'Topics whose messages are answered, separated by commas' },
    { name: 'NTFY_ALLOW_ALL_USERS', secret: false, required: false, prompt: 'Answer every message on the topic (true or false)' },
    { name: 'NTFY_HOME_CHANNEL', secret: false, required: false, prompt: 'Topic on which the agent reports unasked' },
  ],
  permissions: {
    net: { value: ['any', 'private'], reason: 'It connects to the server that NTFY_SERVER_URL names.' },
  },
})
