import type { Command } from 'commander'
import type { CommandName } from '#commands/command-names.ts'
import type { Cli } from './console/cli.ts'

interface CommandModule {
  readonly command: (cli: Cli) => Command
}

interface CommandEntry {
  /** One line of `agent --help`. */
  readonly summary: string
  readonly load: () => Promise<CommandModule>
}

/** Every command of the program; a command loads only its own code. */
export const commands = {
  chat: { summary: 'Talk to the agent in this terminal', load: () => import('./commands/chat.ts') },
  sessions: { summary: 'Find, name, copy, export and delete past conversations', load: () => import('./sessions/command.ts') },
  acp: { summary: 'Work in an editor, by the Agent Client Protocol', load: () => import('./commands/acp.ts') },
  gateway: { summary: 'Run the HTTP API and the messaging platforms', load: () => import('./commands/gateway.ts') },
  send: { summary: 'Send a message to a person or a channel', load: () => import('./commands/send.ts') },
  pairing: { summary: 'Decide who may write on messaging platforms', load: () => import('./commands/pairing.ts') },
  model: { summary: 'List or choose the inference provider', load: () => import('./commands/model.ts') },
  login: { summary: 'Log in to a provider', load: () => import('./commands/login.ts') },
  logout: { summary: 'Forget the login of a provider', load: () => import('./commands/logout.ts') },
  auth: { summary: 'See logins, and begin and end them', load: () => import('./commands/auth.ts') },
  usage: { summary: 'See what model calls took', load: () => import('./commands/usage.ts') },
  tools: { summary: 'See and switch the tools', load: () => import('./commands/tools.ts') },
  mcp: { summary: 'Use the tools of MCP servers', load: () => import('./mcp/command.ts') },
  skills: { summary: 'See the instructions that the agent has for certain work', load: () => import('./commands/skills.ts') },
  bundles: { summary: 'Name skills that are followed together', load: () => import('./skills/bundles.ts') },
  memory: { summary: 'See what the agent remembers, and decide about changes that wait', load: () => import('./commands/memory.ts') },
  cron: { summary: 'Do work at a time: see, make and change jobs', load: () => import('./cron/command.ts') },
  eval: {
    summary: 'Try conversations that are written down, for those who make skills and plugins',
    load: () => import('./eval/command.ts'),
  },
  checkpoints: { summary: 'See the checkpoints of files, and go back to one', load: () => import('./checkpoints/command.ts') },
  config: { summary: 'Read and change settings', load: () => import('./commands/config.ts') },
  plugins: { summary: 'See, enable and disable plugins', load: () => import('./commands/plugins.ts') },
  profile: { summary: 'Keep separate homes for separate purposes', load: () => import('./commands/profile.ts') },
  logs: { summary: 'Read what the program wrote down', load: () => import('./commands/logs.ts') },
  setup: { summary: 'Put agent on your PATH, and see what there is to set up', load: () => import('./commands/setup.ts') },
  dashboard: { summary: 'Set agent up in a browser', load: () => import('./commands/dashboard.ts') },
  update: { summary: 'Bring the program to its newest version', load: () => import('./update/command.ts') },
  doctor: { summary: 'Find out what does not work', load: () => import('./commands/doctor.ts') },
} as const satisfies Record<CommandName, CommandEntry>
