import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

const url = 'https://discord.com/developers/applications'
const plain = (name: string, prompt: string) => ({ name: `DISCORD_${name}`, secret: false, required: false, prompt, ...checkOf(prompt) })
const checkOf = (prompt: string) => (prompt.endsWith('(true or false)') ? { value: 'switch' as const } : {})
const env = [
  {
    name: 'DISCORD_BOT_TOKEN',
    secret: true,
    required: true,
    form: { pattern: '[\\w-]+\\.[\\w-]+\\.[\\w-]+', like: 'a token of three parts with points between them' },
    prompt: 'Token of the bot (Bot, Reset Token)',
    url,
  },
  {
    ...plain('ALLOWED_USERS', 'Ids of users that are answered, separated by commas'),
    form: { pattern: '\\d{15,}|\\*', like: '175928847299117063' },
  },
  plain('ALLOWED_ROLES', 'Ids of roles whose members are answered'),
  plain('ALLOW_ALL_USERS', 'Answer everybody (true or false)'),
  plain('HOME_CHANNEL', 'Id of the channel in which the agent reports unasked'),
  plain('REQUIRE_MENTION', 'Answer in channels only when mentioned (true or false)'),
  plain('FREE_RESPONSE_CHANNELS', 'Ids of channels without that rule'),
  plain('IGNORE_NO_MENTION', 'Stay silent where only others are mentioned (true or false)'),
  plain('ALLOWED_CHANNELS', 'Ids of the only channels in which the agent listens'),
  plain('IGNORED_CHANNELS', 'Ids of channels in which it never listens'),
  plain('ALLOW_BOTS', 'Answer other bots: none, mentions or all'),
  plain('REPLY_TO_MODE', 'Quote the question: off, first or all'),
  plain('AUTO_THREAD', 'Answer a mention in a separate thread (true or false)'),
  plain('NO_THREAD_CHANNELS', 'Ids of channels in which no thread is opened'),
  plain('REACTIONS', 'Mark messages with reactions (true or false)'),
  { ...plain('COMMAND_SYNC_POLICY', 'Write the menu of commands: safe or bulk, or off'), value: ['safe', 'bulk', 'off'] },
  plain('ALLOW_MENTION_EVERYONE', 'Let answers notify everyone (true or false)'),
  plain('ALLOW_MENTION_ROLES', 'Let answers notify roles (true or false)'),
  plain('ALLOW_MENTION_USERS', 'Let answers notify users (true or false)'),
  plain('ALLOW_MENTION_REPLIED_USER', 'Let a quoted answer notify who asked (true or false)'),
]

const methods = { edit: true, typing: true, react: true, fetchMedia: true, setCommands: true, listConversations: true } as const
const lengths = { maxLength: 2000, unit: 'utf16', captionLength: 2000, mediaBytes: 10_485_760, buttons: 25 } as const

export default definePlugin({
  id: 'platform-discord',
  name: 'Discord',
  description: 'Lets people talk to the agent in Discord servers and direct messages.',
  platforms: {
    discord: {
      label: 'Discord',
      door: 'messaging',
      reach: 'people',
      capabilities: { ...methods, idempotentSend: true, media: true, buttons: true, threads: true },
      limits: {
        ...{ ...lengths, typingMs: 8000, editMs: 1200, quietMs: 600, splitMs: 2000 },
        ...{ budget: { burst: 50, everyMs: 20 }, conversationBudget: { burst: 5, everyMs: 1000 } },
      },
      markup: 'tree',
      promptHint: 'Discord shows Markdown: bold, lists, quotes, links, code. Tables are shown as code, so keep them narrow.',
      env: env.map(({ name }) => name),
      config,
      entry: () => import('./connection.ts'),
      connectTimeoutMs: 60_000,
      singletonLock: 'DISCORD_BOT_TOKEN',
    },
  },
  env,
  permissions: { net: { value: 'any', reason: 'It connects to Discord, or to the server that platforms.discord.extra.base_url names.' } },
})
