import { definePlugin } from '@agent/plugin-sdk'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-skills',
  name: 'Skills',
  description: 'Lets the agent read the skills of its home and of its plugins.',
  toolsets: {
    skills: {
      label: 'Skills',
      sets: ['coding'],
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: { host: { value: ['skills'], reason: 'Reads the skills.' } },
})
