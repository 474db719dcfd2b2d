import type { AcpConfig } from './config.ts'

/** How an agent is started, and what a person does where it is missing or logged out. */
export interface Preset {
  readonly command: string
  readonly args: readonly string[]
  readonly login: string
  readonly install: string
}

// docs.github.com: Copilot CLI ACP server; github.com/agentclientprotocol/claude-agent-acp.
const presets: Readonly<Record<keyof AcpConfig, Preset | undefined>> = {
  'copilot-acp': {
    command: 'copilot',
    args: ['--acp', '--stdio'],
    login: 'run copilot and type /login',
    install: 'npm install -g @github/copilot',
  },
  'claude-code-acp': {
    command: 'claude-agent-acp',
    args: [],
    login: 'run claude and type /login',
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
  },
  acp: undefined,
}

/** What is started for a provider; undefined where neither we nor the settings know a program. */
export function findPreset(provider: keyof AcpConfig, config: AcpConfig): Preset | undefined {
  const own = config[provider]
  if (!own) return presets[provider]
  const { command, args = [], login = `log in with ${command}` } = own
  return { command, args, login, install: `install ${command}, or name it by its path` }
}
