import { definePlugin } from '@agent/plugin-sdk'
import { tools, writingTools } from './tools.ts'

export default definePlugin({
  id: 'toolset-skills',
  name: 'Skills',
  description: 'Lets the agent read the skills of its home and of its plugins, and write those of its home.',
  toolsets: {
    skills: {
      label: 'Skills',
      sets: ['coding'],
      tools,
      entry: () => import('./toolset.ts'),
    },
    'skill-writing': {
      label: 'Writing skills',
      sets: ['coding'],
      deferred: true,
      tools: writingTools,
      entry: () => import('./writing-toolset.ts'),
    },
  },
  permissions: {
    host: { value: ['skills', 'skills.write'], reason: 'Reads the skills, and changes those of the home when you allow it.' },
  },
})
