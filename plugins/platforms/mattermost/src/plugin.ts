import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'platform-mattermost',
  name: 'Mattermost',
  description: 'Lets people talk to the agent on a Mattermost server.',
  docsUrl: 'https://developers.mattermost.com/integrate/reference/bot-accounts/',
  platforms: {
    mattermost: {
      label: 'Mattermost',
      door: 'messaging',
      reach: 'people',
      capabilities: {
        edit: true,
        findSent: true,
        typing: true,
        react: true,
        fetchMedia: true,
        listConversations: true,
        media: true,
        threads: true,
      },
      limits: { maxLength: 4000, captionLength: 4000, typingMs: 4000, editMs: 1000, budget: { burst: 100, everyMs: 100 } },
      markup: 'markdown',
      promptHint:
        'Mattermost shows Markdown with tables and blocks of code. Long answers in a channel belong into its thread; keep them short.',
      env: [
        'MATTERMOST_URL',
        'MATTERMOST_TOKEN',
        'MATTERMOST_ALLOWED_USERS',
        'MATTERMOST_ALLOW_ALL_USERS',
        'MATTERMOST_ALLOWED_CHANNELS',
        'MATTERMOST_REQUIRE_MENTION',
        'MATTERMOST_FREE_RESPONSE_CHANNELS',
        'MATTERMOST_AUTO_THREAD',
        'MATTERMOST_DM_AUTO_THREAD',
        'MATTERMOST_HOME_CHANNEL',
      ],
      config,
      entry: () => import('./connection.ts'),
      connectTimeoutMs: 60_000,
    },
  },
  env: [
    {
      name: 'MATTERMOST_URL',
      secret: false,
      required: true,
      value: 'address',
      prompt: 'Address of the server, such as https://chat.example.com',
    },
    {
      name: 'MATTERMOST_TOKEN',
      secret: true,
      required: true,
      prompt: 'Access token of the bot',
      url: 'https://developers.mattermost.com/integrate/reference/bot-accounts/',
    },
    { name: 'MATTERMOST_ALLOWED_USERS', secret: false, required: false, prompt: 'Ids or names of users that are answered' },
    { name: 'MATTERMOST_ALLOW_ALL_USERS', secret: false, required: false, prompt: 'Answer everybody (true or false)' },
    { name: 'MATTERMOST_ALLOWED_CHANNELS', secret: false, required: false, prompt: 'Ids of the only channels in which the agent listens' },
    {
      name: 'MATTERMOST_REQUIRE_MENTION',
      secret: false,
      required: false,
      prompt: 'Answer in channels only when mentioned (true or false)',
    },
    { name: 'MATTERMOST_FREE_RESPONSE_CHANNELS', secret: false, required: false, prompt: 'Ids of channels without that rule' },
    {
      name: 'MATTERMOST_AUTO_THREAD',
      secret: false,
      required: false,
      value: 'switch',
      prompt: 'Answer a mention in a thread below it (true or false)',
    },
    {
      name: 'MATTERMOST_DM_AUTO_THREAD',
      secret: false,
      required: false,
      value: 'switch',
      prompt: 'The same in direct messages (true or false)',
    },
    { name: 'MATTERMOST_HOME_CHANNEL', secret: false, required: false, prompt: 'Id of the channel in which the agent reports unasked' },
  ],
  permissions: {
    net: { value: ['any', 'private'], reason: 'It connects to the server that MATTERMOST_URL names.' },
  },
})
