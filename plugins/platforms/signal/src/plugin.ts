import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'platform-signal',
  name: 'Signal',
  description: 'Lets people talk to the agent through a signal-cli daemon.',
  platforms: {
    signal: {
      label: 'Signal',
      // The daemon may write under the owner's own number: people must see who speaks.
      replyPrefix: '🤖 ',
      door: 'messaging',
      reach: 'people',
      capabilities: { typing: true, endTyping: true, react: true, fetchMedia: true, media: true, listConversations: true },
      limits: {
        maxLength: 8000,
        unit: 'utf16',
        captionLength: 8000,
        fetchBytes: 104_857_600,
        mediaBytes: 104_857_600,
        typingMs: 8000,
        quietMs: 600,
      },
      markup: 'tree',
      promptHint:
        'Signal shows bold, italic, strikethrough and monospaced text. Links show their address, and a table becomes one bullet for each row.',
      env: [
        'SIGNAL_ACCOUNT',
        'SIGNAL_HTTP_URL',
        'SIGNAL_ALLOWED_USERS',
        'SIGNAL_ALLOW_ALL_USERS',
        'SIGNAL_GROUP_ALLOWED_USERS',
        'SIGNAL_GROUP_ALLOWED_CHATS',
        'SIGNAL_REQUIRE_MENTION',
        'SIGNAL_HOME_CHANNEL',
      ],
      config,
      singletonLock: 'SIGNAL_ACCOUNT',
      entry: () => import('./connection.ts'),
    },
  },
  env: [
    // No secret, but masked wherever it would be written down.
    {
      name: 'SIGNAL_ACCOUNT',
      secret: true,
      required: true,
      form: { pattern: '\\+\\d{6,15}', like: '+43123456789' },
      prompt: 'Phone number of the agent, such as +43123456789',
    },
    {
      name: 'SIGNAL_HTTP_URL',
      secret: false,
      required: false,
      value: 'address',
      prompt: 'Address of the signal-cli daemon (http://127.0.0.1:8080)',
    },
    {
      name: 'SIGNAL_ALLOWED_USERS',
      secret: false,
      required: false,
      prompt: 'Phone numbers or ids of the people who may talk to the agent',
    },
    { name: 'SIGNAL_ALLOW_ALL_USERS', secret: false, required: false, prompt: 'Let everybody talk to the agent (true or false)' },
    { name: 'SIGNAL_GROUP_ALLOWED_USERS', secret: false, required: false, prompt: 'The same for people who may talk to it in groups only' },
    { name: 'SIGNAL_GROUP_ALLOWED_CHATS', secret: false, required: false, prompt: 'Ids of groups in which every member may talk to it' },
    {
      name: 'SIGNAL_REQUIRE_MENTION',
      secret: false,
      required: false,
      prompt: 'Answer in groups only when it is mentioned (true or false)',
    },
    { name: 'SIGNAL_HOME_CHANNEL', secret: false, required: false, prompt: 'Number, id or group in which the agent reports unasked' },
  ],
  permissions: {
    net: { value: ['any', 'private'], reason: 'It connects to the daemon that SIGNAL_HTTP_URL names.' },
  },
})
