/** The first words of command lines; the table says what they do. No profile is called like one of them. */
export const commandNames = [
  ...(['chat', 'sessions', 'acp', 'gateway', 'send', 'pairing', 'model', 'tools'] as const),
  ...([
    'usage',
    'mcp',
    'skills',
    'bundles',
    'memory',
    'cron',
    'eval',
    'checkpoints',
    'config',
    'plugins',
    'profile',
    'logs',
    'doctor',
    'setup',
    'auth',
    'login',
    'logout',
    'dashboard',
    'update',
  ] as const),
] as const

export type CommandName = (typeof commandNames)[number]

/** Words that people may look for and that this version does nothing for. */
export const missingCommands: readonly string[] = [...['desktop', 'gui', 'uninstall', 'debug']]
