import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'
import { tools } from './tools.ts'

export default definePlugin({
  id: 'toolset-code',
  name: 'Code',
  description: 'Runs scripts of the agent that call its tools.',
  toolsets: {
    code: {
      label: 'Code',
      sets: ['coding'],
      deferred: true,
      config,
      configBlock: 'code_execution',
      tools,
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: {
    host: { value: ['sandbox', 'tools.call'], reason: 'Scripts run in the sandbox of the host, and call the tools of the turn.' },
    fs: { value: { read: ['/'], write: ['/'] }, reason: 'A script works in the folder of the agent.' },
    run: { value: ['*'], reason: 'Runs the scripts that the conversation asks for.' },
  },
})
