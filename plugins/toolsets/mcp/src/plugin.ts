import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

export default definePlugin({
  id: 'toolset-mcp',
  name: 'MCP servers',
  description: 'Lets the agent use the tools of MCP servers.',
  toolsets: {
    mcp: {
      label: 'MCP servers',
      config,
      tools: {},
      dynamicTools: { prefix: 'mcp_', block: 'mcp_servers' },
      deferred: true,
      setUp: 'Start each server once, so that its program is fetched before it is needed',
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: {
    host: {
      value: ['environment', 'logins', 'clarify', 'models'],
      reason:
        'A server that is started here finds its programs by PATH; nothing else of the environment is handed on. One that is asked gets the login that a person made with it. A server may ask the person whose call it is, and a model where the settings say so.',
    },
    net: { value: 'any', reason: 'Asks the servers that the settings name, and those of a project that you have allowed.' },
    fs: {
      value: { read: ['/'], write: ['/'] },
      reason: 'A server starts in the folder that the settings name; long results are kept in a temporary folder.',
    },
    run: { value: ['*'], reason: 'Starts the servers that the settings name, and those of a project that you have allowed.' },
  },
})
