import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

const env = [
  {
    name: 'TELEGRAM_BOT_TOKEN',
    secret: true,
    required: true,
    form: { pattern: '\\d{5,}:[\\w-]{20,}', like: '123456789:AAE…, as @BotFather gives it' },
    prompt: 'Token of the bot',
    url: 'https://t.me/BotFather',
  },
  {
    name: 'TELEGRAM_ALLOWED_USERS',
    secret: false,
    required: false,
    form: { pattern: '\\d+|\\*', like: '123456789' },
    prompt: 'Ids of those who may talk to the agent, with commas',
  },
  { name: 'TELEGRAM_ALLOW_ALL_USERS', secret: false, required: false, prompt: 'Let everybody talk to the agent (true or false)' },
  { name: 'TELEGRAM_GROUP_ALLOWED_USERS', secret: false, required: false, prompt: 'Ids of the people who may talk to it in groups only' },
  { name: 'TELEGRAM_GROUP_ALLOWED_CHATS', secret: false, required: false, prompt: 'Ids of groups in which every member may talk to it' },
  { name: 'TELEGRAM_ALLOWED_CHATS', secret: false, required: false, prompt: 'Ids of the only groups in which it answers' },
  { name: 'TELEGRAM_REQUIRE_MENTION', secret: false, required: false, prompt: 'Answer in groups only when addressed (true or false)' },
  { name: 'TELEGRAM_ALLOW_BOTS', secret: false, required: false, prompt: 'Answer other bots (none, mentions or all)' },
  { name: 'TELEGRAM_HOME_CHANNEL', secret: false, required: false, prompt: 'Id of the chat in which the agent reports unasked' },
  {
    name: 'TELEGRAM_REACTIONS',
    secret: false,
    required: false,
    value: 'switch',
    prompt: 'Mark messages with 👀, 👍 and 👎 (true or false)',
  },
  {
    name: 'TELEGRAM_WEBHOOK_URL',
    secret: false,
    required: false,
    value: 'address',
    prompt: 'Public https address of /webhooks/telegram, to be called',
  },
  { name: 'TELEGRAM_WEBHOOK_SECRET', secret: true, required: false, prompt: 'Secret of these calls, 16 characters at least' },
]

export default definePlugin({
  id: 'platform-telegram',
  name: 'Telegram',
  description: 'Lets people talk to the agent through a Telegram bot.',
  platforms: {
    telegram: {
      label: 'Telegram',
      door: 'messaging',
      reach: 'people',
      capabilities: {
        edit: true,
        typing: true,
        react: true,
        fetchMedia: true,
        setCommands: true,
        media: true,
        buttons: true,
        threads: true,
      },
      limits: {
        maxLength: 4096,
        unit: 'utf16',
        captionLength: 1024,
        fetchBytes: 20_971_520,
        mediaBytes: 52_428_800,
        buttons: 24,
        editMs: 1000,
        // Chats of two get more than groups, of which these are the figures.
        budget: { burst: 30, everyMs: 34 },
        conversationBudget: { burst: 20, everyMs: 3000 },
        quietMs: 600,
        splitMs: 2000,
      },
      markup: 'tree',
      promptHint:
        'Telegram shows bold, italic, code, quotes, lists and links. A table becomes one bullet for each row, so prefer lists. Most people read on a phone.',
      env: env.map(({ name }) => name),
      config,
      singletonLock: 'TELEGRAM_BOT_TOKEN',
      entry: () => import('./connection.ts'),
    },
  },
  env,
  permissions: {
    net: { value: 'any', reason: 'It connects to the Bot API server that base_url names.' },
  },
})
