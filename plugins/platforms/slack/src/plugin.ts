import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

const url = 'https://api.slack.com/apps'
const plain = (name: string, prompt: string) => ({ name, secret: false, required: false, prompt })

const env = [
  {
    name: 'SLACK_BOT_TOKEN',
    secret: true,
    required: true,
    form: { pattern: 'xoxb-.+', like: 'xoxb-…' },
    prompt: 'Bot token (xoxb-…); of several workspaces separated by commas',
    url,
  },
  {
    name: 'SLACK_APP_TOKEN',
    secret: true,
    required: true,
    form: { pattern: 'xapp-.+', like: 'xapp-…' },
    prompt: 'App-level token (xapp-…) for Socket Mode',
    url,
  },
  { ...plain('SLACK_API_URL', 'Address of the Web API (https://slack.com/api)'), value: 'address' as const },
  {
    ...plain('SLACK_ALLOWED_USERS', 'Member ids (U…) that may talk to the agent, separated by commas'),
    form: { pattern: '[UW][A-Z0-9]+|\\*', like: 'U012AB3CD' },
  },
  plain('SLACK_ALLOW_ALL_USERS', 'Let every member talk to the agent (true or false)'),
  plain('SLACK_HOME_CHANNEL', 'Channel (C…) or member (U…) to whom the agent reports unasked'),
  plain('SLACK_ALLOW_BOTS', 'Answer other bots (none, mentions or all)'),
  plain('SLACK_REQUIRE_MENTION', 'Answer in channels only when mentioned (true or false)'),
  plain('SLACK_STRICT_MENTION', 'Answer only what mentions the agent itself (true or false)'),
  plain('SLACK_IGNORE_OTHER_USER_MENTIONS', 'Ignore messages that mention somebody else (true or false)'),
  plain('SLACK_THREAD_REQUIRE_MENTION', 'Want a mention in threads too (true or false)'),
  plain('SLACK_REQUIRE_MENTION_CHANNELS', 'Channels in which a mention is wanted, separated by commas'),
  plain('SLACK_FREE_RESPONSE_CHANNELS', 'Channels in which every message is answered, separated by commas'),
  plain('SLACK_ALLOWED_CHANNELS', 'The only channels in which the agent answers, separated by commas'),
  plain('SLACK_IGNORED_CHANNELS', 'Channels in which the agent is silent, separated by commas'),
]

export default definePlugin({
  id: 'platform-slack',
  name: 'Slack',
  description: 'Lets people talk to the agent in Slack workspaces.',
  platforms: {
    slack: {
      label: 'Slack',
      door: 'messaging',
      reach: 'people',
      capabilities: {
        edit: true,
        findSent: true,
        typing: true,
        endTyping: true,
        react: true,
        fetchMedia: true,
        listConversations: true,
        media: true,
        buttons: true,
        threads: true,
      },
      limits: {
        // An edit takes 4,000 bytes with its signs, of which some are left for those.
        ...{ maxLength: 3600, unit: 'bytes', captionLength: 3000, typingMs: 10_000, editMs: 1200, quietMs: 600, splitMs: 2000 },
        // Edits are counted in a workspace, what is posted in a channel.
        ...{ budget: { burst: 20, everyMs: 1200 }, conversationBudget: { burst: 4, everyMs: 1000 } },
      },
      markup: 'tree',
      singletonLock: 'SLACK_APP_TOKEN',
      promptHint:
        'Slack shows bold, italic, strike-through, code, links, lists and quotes; headings become bold lines and tables become lists.',
      env: env.map(({ name }) => name),
      config,
      entry: () => import('./connection.ts'),
    },
  },
  env,
  permissions: {
    net: { value: 'any', reason: 'It connects to Slack, and to the sockets and file addresses that Slack names.' },
  },
})
