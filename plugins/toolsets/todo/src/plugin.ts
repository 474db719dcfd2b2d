import { definePlugin } from '@agent/plugin-sdk'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-todo',
  name: 'Todo',
  description: 'A task list for work of several steps, kept per session.',
  toolsets: {
    todo: {
      label: 'Todo',
      sets: ['coding'],
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
})
