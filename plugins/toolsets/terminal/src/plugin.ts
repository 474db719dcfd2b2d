import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-terminal',
  name: 'Terminal',
  description: 'Runs commands in a shell that keeps its state, and long-running processes beside it.',
  toolsets: {
    terminal: {
      label: 'Terminal',
      config,
      configBlock: 'terminal',
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: {
    host: {
      value: ['environment', 'notify'],
      reason: 'Commands run with the environment of the user, without secrets. What becomes of processes in the background is told.',
    },
    fs: { value: { read: ['/'], write: ['/'] }, reason: 'A command starts in any folder; where a shell ended is kept in a temporary one.' },
    run: { value: ['*'], reason: 'Runs the commands that the conversation asks for.' },
  },
})
