import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-browser',
  name: 'Browser',
  description: 'Lets the agent use pages of the web in a browser.',
  toolsets: {
    browser: {
      label: 'Browser',
      sets: ['coding'],
      config,
      configBlock: 'browser',
      tools,
      deferred: true,
      entry: () => import('./toolset.ts'),
    },
  },
  commands: {
    'own-browser': {
      label: 'Own browser',
      commands: [
        {
          name: 'browser',
          args: '[connect [address]|disconnect|status]',
          summary: 'Let the agent use your own browser, or say which one it uses',
          surfaces: ['cli'],
        },
      ],
      entry: () => import('./commands.ts'),
    },
  },
  permissions: {
    host: {
      value: ['clarify', 'environment', 'images', 'web'],
      reason:
        'Every address of a page goes by the settings for the web. A model that sees looks at pages. The browser starts with the environment without secrets. A person is asked before their own browser is used.',
    },
    net: { value: 'any', reason: 'What pages ask for goes through here, so that each address is checked.' },
    fs: { value: { read: ['/'], write: ['/'] }, reason: 'Finds the browser, and keeps its profile in a temporary folder.' },
    run: { value: ['*'], reason: 'Starts the browser.' },
  },
})
