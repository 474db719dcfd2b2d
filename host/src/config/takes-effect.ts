import { variables } from './environment/variables.ts'

/** When a gateway that runs goes by a changed setting: when it reads its settings again, or after a restart. `never`: it makes no use of it. */
export type TakesEffect = 'reload' | 'restart' | 'never'

/** Sections and settings, the longer name before the shorter one. Whatever is not named, no gateway reads. */
const kept: Readonly<Record<string, TakesEffect>> = {
  'agent.image_input': 'reload',
  'agent.rule_files': 'reload',
  agent: 'restart',
  approvals: 'restart',
  auxiliary: 'reload',
  background_process_notifications: 'reload',
  browser: 'reload',
  budgets: 'reload',
  checkpoints: 'reload',
  code_execution: 'reload',
  command_allowlist: 'restart',
  compression: 'reload',
  cron: 'reload',
  context: 'reload',
  credential_pool_strategies: 'reload',
  delegation: 'reload',
  'display.busy_input_mode': 'reload',
  'display.show_reasoning': 'reload',
  fallback_model: 'reload',
  fallback_providers: 'reload',
  gateway: 'restart',
  image: 'reload',
  logging: 'restart',
  mcp_servers: 'reload',
  'memory.nudge_interval': 'restart',
  memory: 'reload',
  model: 'reload',
  models: 'reload',
  notifiers: 'reload',
  platforms: 'reload',
  plugins: 'reload',
  prices: 'reload',
  security: 'reload',
  session_reset: 'reload',
  sessions: 'reload',
  'skills.creation_nudge_interval': 'restart',
  skills: 'reload',
  store: 'restart',
  terminal: 'reload',
  tools: 'reload',
  toolsets: 'reload',
  unauthorized_dm_behavior: 'reload',
  web: 'reload',
}

export function whenTaken(key: string): TakesEffect {
  const parts = key.split('.')
  const names = parts.map((_, index) => parts.slice(0, parts.length - index).join('.'))
  const found = names.find((name) => Object.hasOwn(kept, name))
  return (found === undefined ? undefined : kept[found]) ?? 'never'
}

/** Who may write is asked at each message. */
const askedEachTime = new Set(['GATEWAY_ALLOWED_USERS', 'GATEWAY_ALLOW_ALL_USERS'])

/** Whether only a restart brings a changed variable into a gateway. Those of plugins come with their platform, provider or tools. */
export function needsRestart(variable: string): boolean {
  const own = variables.find(({ name }) => name === variable)
  if (own === undefined || askedEachTime.has(variable)) return false
  return own.key === undefined || whenTaken(own.key) !== 'reload'
}
