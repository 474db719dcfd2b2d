/** Keys that are read and checked, and that nothing in this version acts upon; a section stands for all of its keys. */
export const keysWithoutEffect: readonly string[] = [
  'fallback_model',
  'display.interface',
  'display.theme_mode',
  'terminal.backend',
  'terminal.container_forward_env',
  'terminal.container_mount_cwd_to_workspace',
  'checkpoints',
  'compression',
  'auxiliary',
  'delegation',
  'stt',
  'memory',
  'skills',
  'updates',
]

const variables = /^AGENT_(?:DASHBOARD_|DESKTOP_|TUI$)/

/** What a table says about a key that does nothing yet. */
export function effectOfKey(key: string): string {
  return keysWithoutEffect.some((one) => key === one || key.startsWith(`${one}.`)) ? 'not in this version' : ''
}

export function effectOfVariable(name: string): string {
  return variables.test(name) ? 'not in this version' : ''
}

const refused: Readonly<Record<string, readonly string[]>> = {
  'agent chat': ['--tui', '--checkpoints'],
  'agent profile create': ['--clone', '--clone-all', '--clone-from', '--no-skills'],
}

/** Options that are known by name and refused, because what they ask for is not built yet. */
export function effectOfOption(command: string, long: string): string {
  if (command === 'agent chat' && long === '--ignore-rules') return ' (this version reads no rule files)'
  return refused[command]?.includes(long) ? ' (refused: not in this version)' : ''
}
