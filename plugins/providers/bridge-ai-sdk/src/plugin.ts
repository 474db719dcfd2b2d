import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

const keys = ['AI_SDK_API_KEY', 'AI_SDK_API_KEY_2', 'AI_SDK_API_KEY_3']

export default definePlugin({
  id: 'provider-bridge-ai-sdk',
  name: 'Models of the AI SDK',
  description: 'Lets a package that was made for the AI SDK answer: any of its providers that npm has installed in a folder of yours.',
  providers: {
    'bridge-ai-sdk': {
      label: 'A package of the AI SDK',
      aliases: ['ai-sdk'],
      auth: 'none',
      config,
      entry: () => import('./bridge.ts'),
    },
  },
  env: keys.map((name) => ({
    ...{ name, secret: true, required: false },
    prompt: 'The key of a service whose package the settings name',
  })),
  permissions: {
    net: { value: 'any', reason: 'The package that the settings name decides which service it asks.' },
    fs: { value: { read: ['/'], write: [] }, reason: 'Loads the package from the folder that the settings name.' },
  },
  // A package of others never shares memory or variables with the agent.
  isolation: 'process',
})
