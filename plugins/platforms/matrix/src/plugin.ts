import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

const plain = (name: string, prompt: string, secret = false) => ({ name, secret, required: name === 'MATRIX_HOMESERVER', prompt })

const env = [
  { ...plain('MATRIX_HOMESERVER', 'Address of the homeserver (https://…)'), value: 'address' as const },
  plain('MATRIX_ACCESS_TOKEN', 'Access token of the account; or its name and password', true),
  {
    ...plain('MATRIX_USER_ID', 'Full name of the account (@agent:example.org)'),
    form: { pattern: '@[^:]+:.+', like: '@agent:example.org' },
  },
  plain('MATRIX_PASSWORD', 'Password of the account, where there is no token', true),
  plain('MATRIX_DEVICE_ID', 'Device as which the agent logs in'),
  plain(
    'MATRIX_INVITES_FROM',
    'Whose invitations are accepted besides those of who may talk to the agent (@ann:example.org, or *), separated by commas',
  ),
  { ...plain('MATRIX_AUTO_THREAD', 'Answer in threads in rooms (true or false)'), value: 'switch' as const },
  { ...plain('MATRIX_PROCESS_NOTICES', 'Read what other bots say (true or false)'), value: 'switch' as const },
  {
    ...plain('MATRIX_ALLOWED_USERS', 'Full names of those who may talk to the agent, separated by commas'),
    form: { pattern: '@[^:]+:.+|\\*', like: '@ann:example.org' },
  },
  plain('MATRIX_ALLOW_ALL_USERS', 'Let everybody talk to the agent (true or false)'),
  plain('MATRIX_HOME_ROOM', 'Room (!… or #…) in which the agent reports unasked'),
  plain('MATRIX_REQUIRE_MENTION', 'Answer in rooms only when mentioned (true or false)'),
  plain('MATRIX_ALLOWED_ROOMS', 'The only rooms in which the agent answers, separated by commas'),
  plain('MATRIX_FREE_RESPONSE_ROOMS', 'Rooms in which every message is answered, separated by commas'),
  plain('MATRIX_ALLOW_BOTS', 'Answer other bots (none, mentions or all)'),
  plain('MATRIX_REACTIONS', 'Mark messages with reactions (true or false)'),
]

export default definePlugin({
  id: 'platform-matrix',
  name: 'Matrix',
  description: 'Lets people talk to the agent in Matrix rooms.',
  platforms: {
    matrix: {
      label: 'Matrix',
      door: 'messaging',
      reach: 'people',
      capabilities: {
        edit: true,
        typing: true,
        endTyping: true,
        react: true,
        fetchMedia: true,
        listConversations: true,
        idempotentSend: true,
        media: true,
        buttons: true,
        threads: true,
        invitations: true,
      },
      limits: {
        ...{ maxLength: 16_000, unit: 'bytes', captionLength: 4000, typingMs: 20_000, editMs: 1500, quietMs: 600, splitMs: 2000 },
        // What Synapse allows unless its owner says otherwise (`rc_message`).
        budget: { burst: 10, everyMs: 5000 },
      },
      markup: 'tree',
      homeEnv: 'MATRIX_HOME_ROOM',
      promptHint: 'Matrix shows Markdown: headings, lists, tables, quotes, links and code. In rooms you answer in a thread.',
      env: env.map(({ name }) => name),
      config,
      entry: () => import('./connection.ts'),
    },
  },
  env,
  permissions: { net: { value: ['any', 'private'], reason: 'It connects to the server that MATRIX_HOMESERVER names.' } },
})
