import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'commands-sample',
  name: 'Sample',
  description: 'Keeps a shopping list, and lets the agent explain a word.',
  commands: {
    sample: {
      label: 'Sample',
      config,
      commands: [
        { name: 'sample_list', args: '[thing|clear]', summary: 'Show the shopping list, or put something on it' },
        {
          name: 'sample_explain',
          args: '<word>',
          summary: 'Let the agent explain a word',
          prompt: 'Explain in three short sentences, to somebody who hears of it for the first time: {args}',
        },
      ],
      entry: () => import('./commands.ts'),
    },
  },
})
