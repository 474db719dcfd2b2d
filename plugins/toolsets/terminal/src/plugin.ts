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
      sets: ['coding', 'debugging'],
      config,
      configBlock: 'terminal',
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: {
    host: {
      value: ['notify', 'sandbox'],
      reason:
        'Commands run in the sandbox of the host, with the environment of the user without secrets. What becomes of processes in the background is told.',
    },
    fs: { value: { read: ['/'], write: ['/'] }, reason: 'A command starts in any folder.' },
    run: { value: ['*'], reason: 'Runs the commands that the conversation asks for.' },
  },
})
