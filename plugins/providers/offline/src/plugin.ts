import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'provider-offline',
  name: 'Offline',
  description: 'A deterministic model that needs no account and no network: for a first try, for demonstrations and for tests.',
  env: [
    {
      name: 'AGENT_OFFLINE_SCRIPT',
      secret: false,
      required: false,
      prompt: 'YAML file with a conversation that the offline model replays',
    },
    {
      name: 'AGENT_OFFLINE_OPEN',
      secret: false,
      required: false,
      value: 'switch',
      prompt: 'true lets everybody who writes to the agent have the offline model use tools, for tests of a platform',
    },
  ],
  permissions: {
    fs: { value: { read: ['/'], write: [] }, reason: 'Reads the script file that you name, and nothing else.' },
  },
  providers: {
    offline: {
      label: 'Offline model',
      auth: 'none',
      defaultModel: 'offline',
      config,
      entry: () => import('./offline.ts'),
    },
  },
})
