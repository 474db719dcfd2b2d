import { definePlugin } from '@agent/plugin-sdk'
import { config } from './config.ts'

const usual = { auth: 'none', defaultModel: 'default', config, entry: () => import('./acp.ts') } as const

export default definePlugin({
  id: 'provider-acp',
  name: 'Coding agents (ACP)',
  description:
    'Lets a coding agent that is installed and logged in on this machine answer, by the Agent Client Protocol: its account, no key of yours.',
  providers: {
    'copilot-acp': { label: 'GitHub Copilot CLI', ...usual, aliases: ['github-copilot-acp', 'copilot-acp-agent'] },
    'claude-code-acp': { label: 'Claude Code', ...usual, aliases: ['claude-agent-acp'] },
    acp: { label: 'Another agent that speaks ACP', ...usual },
  },
  permissions: {
    host: {
      value: ['environment'],
      reason: 'The program runs with the environment of the user without secrets, and finds its own login in the home folder.',
    },
    fs: { value: { read: ['/'], write: ['/'] }, reason: 'Looks for the program on the PATH, and gives it an empty folder to work in.' },
    run: { value: ['*'], reason: 'Starts the program that the settings name: copilot, claude-agent-acp or another one.' },
  },
})
