import { platformKeys } from '../schema/platform-keys.ts'
import type { VariableValue } from './misfit-of.ts'

/** How the text of a variable becomes the value of its configuration key. */
export type VariableReading = 'integer' | 'boolean' | 'notifications' | 'interface'

/** One environment variable that agent itself reads. Those of plugins stand in their manifests. */
export interface Variable {
  readonly name: string
  /** The `_config_version` that introduced it. */
  readonly since: number
  readonly secret: boolean
  readonly about: string
  /** The configuration key that it shadows. */
  readonly key?: string
  /** Set where the loaded configuration shows the variable's value; without it the key's user asks for the variable itself. */
  readonly reading?: VariableReading
  /** What it must hold, where nothing reads it into the configuration. */
  readonly value?: VariableValue
}

const plain = (name: string, about: string, more: Pick<Variable, 'key' | 'reading' | 'value'> = {}): Variable => ({
  name,
  since: 26,
  secret: false,
  about,
  ...more,
})
const secret = (name: string, about: string, key?: string): Variable => ({
  name,
  since: 26,
  secret: true,
  about,
  ...(key === undefined ? {} : { key }),
})

/** Every variable that the host reads; reading any other name throws. */
export const variables: readonly Variable[] = [
  plain('AGENT_HOME', 'Folder of the agent: configuration, sessions, logs.'),
  plain('AGENT_INFERENCE_PROVIDER', 'Provider that answers, before model.provider.', { key: 'model.provider' }),
  plain('AGENT_MAX_ITERATIONS', 'Most steps of one turn.', { key: 'agent.max_turns', reading: 'integer' }),
  plain('AGENT_API_TIMEOUT', 'Longest wait for a model, in seconds.', { key: 'agent.api_timeout', reading: 'integer' }),
  plain('AGENT_EPHEMERAL_SYSTEM_PROMPT', 'Added to the system prompt of every request, never stored.'),
  plain('AGENT_BACKGROUND_NOTIFICATIONS', 'What is told about background processes: all, result, error or off.', {
    key: 'background_process_notifications',
    reading: 'notifications',
  }),
  plain('AGENT_TUI', '1 starts the full-screen terminal client.', { key: 'display.interface', reading: 'interface' }),
  plain('AGENT_SAFE_MODE', 'Set by --safe-mode for the processes that agent starts.'),
  plain('AGENT_NATIVE_CACHE', 'Folder of compiled native modules.'),
  plain('AGENT_GATEWAY_BOOTSTRAP_STATE', 'running starts the gateway of a new container once.'),

  plain('API_SERVER_ENABLED', 'false turns the HTTP API off.', { key: 'platforms.api-server.enabled' }),
  plain('API_SERVER_HOST', 'Address of the HTTP API.', { key: 'platforms.api-server.extra.host' }),
  plain('API_SERVER_PORT', 'Port of the HTTP API.', { key: 'platforms.api-server.extra.port' }),
  secret('API_SERVER_KEY', 'Bearer key of the HTTP API.', 'platforms.api-server.extra.key'),
  plain('API_SERVER_CORS_ORIGINS', 'Origins that may call the HTTP API from a browser.', {
    key: 'platforms.api-server.extra.cors_origins',
  }),
  plain('API_SERVER_MODEL_NAME', 'Name of the model that the HTTP API lists.', { key: 'platforms.api-server.extra.model_name' }),

  secret('AGENT_DASHBOARD_SESSION_TOKEN', 'Pins the session token of the dashboard.'),
  plain('AGENT_DASHBOARD_BASIC_AUTH_USERNAME', 'User name of the dashboard.'),
  secret('AGENT_DASHBOARD_BASIC_AUTH_PASSWORD', 'Password of the dashboard.'),
  secret('AGENT_DASHBOARD_BASIC_AUTH_PASSWORD_HASH', 'Hash of the password of the dashboard.'),
  secret('AGENT_DASHBOARD_BASIC_AUTH_SECRET', 'Signs the login cookie of the dashboard.'),
  plain(
    'AGENT_DASHBOARD_OAUTH_CLIENT_ID',
    'Client id of the dashboard at a hosted identity portal; AGENT_DASHBOARD_OIDC_CLIENT_ID holds before it.',
  ),
  plain('AGENT_DASHBOARD_OIDC_ISSUER', 'Issuer of the self-hosted identity provider.'),
  plain('AGENT_DASHBOARD_OIDC_CLIENT_ID', 'Client id at the self-hosted identity provider.'),
  secret('AGENT_DASHBOARD_OIDC_CLIENT_SECRET', 'Client secret at the self-hosted identity provider.'),
  plain('AGENT_DASHBOARD_OIDC_SCOPES', 'Scopes asked of the self-hosted identity provider.'),
  plain('AGENT_DASHBOARD_OIDC_ALLOWED_USERS', 'Subjects of the self-hosted identity provider that may log in; * is everybody.'),
  plain('AGENT_DASHBOARD_OIDC_ALLOWED_EMAILS', 'Verified mail addresses that may log in.'),
  plain('AGENT_DASHBOARD_OIDC_ALLOWED_GROUPS', 'Groups of the self-hosted identity provider that may log in.'),
  plain('AGENT_DASHBOARD_TUI', 'Obsolete, does nothing.'),

  plain('AGENT_DESKTOP_REMOTE_URL', 'Backend on another machine; goes with AGENT_DESKTOP_REMOTE_TOKEN.'),
  secret('AGENT_DESKTOP_REMOTE_TOKEN', 'Token of the backend on another machine.'),
  plain('AGENT_DESKTOP_IGNORE_EXISTING', 'The desktop app does not use a backend that it finds.'),
  plain('AGENT_DESKTOP_AGENT_ROOT', 'Folder that the desktop app runs agent from.'),

  plain('TERMINAL_TIMEOUT', 'Longest run of a command, in seconds.', { key: 'terminal.timeout', reading: 'integer' }),
  plain('TERMINAL_PERSISTENT_SHELL', 'Keeps one shell for all commands of a session.', {
    key: 'terminal.persistent_shell',
    reading: 'boolean',
  }),

  plain('GATEWAY_ALLOWED_USERS', 'Who may write on every platform, by id or name.'),
  plain('GATEWAY_ALLOW_ALL_USERS', 'true lets everybody write on every platform.', { value: 'switch' }),

  plain('HOME', 'Home folder of the user.'),
  plain('LOCALAPPDATA', 'Folder for application data on Windows.'),
  plain('PATH', 'Where programs are looked for.'),
  plain('SHELL', 'Shell of the user.'),
  plain('EDITOR', 'Editor of the user.'),
  plain('TERM', 'Kind of terminal.'),
  plain('COLORTERM', 'Colours of the terminal.'),
  plain('NO_COLOR', 'Turns colours off.'),
  plain('FORCE_COLOR', 'Turns colours on.'),
  plain('CI', 'Set by automatic builds.'),
]

/** Names that every provider and every platform has without a manifest entry. */
export const variablePatterns: readonly { readonly pattern: RegExp; readonly written: string; readonly secret: boolean }[] = [
  { pattern: /^[A-Z][A-Z0-9_]*_API_KEY$/, written: '<PROVIDER>_API_KEY', secret: true },
  { pattern: /^[A-Z][A-Z0-9_]*_BASE_URL$/, written: '<PROVIDER>_BASE_URL', secret: false },
  { pattern: /^[A-Z][A-Z0-9_]*_ALLOW_ALL_USERS$/, written: '<PLATFORM>_ALLOW_ALL_USERS', secret: false },
  ...platformKeys.flatMap(({ suffixes }) =>
    suffixes.map((suffix) => ({ pattern: new RegExp(`^[A-Z][A-Z0-9_]*_${suffix}$`), written: `<PLATFORM>_${suffix}`, secret: false })),
  ),
]

/** Whether a name decides something in the agent itself, whatever a manifest says of it. Keys of providers belong to who declares them. */
export function isVariableOfAgent(name: string): boolean {
  return variables.some((each) => each.name === name) || variablePatterns.some(({ pattern, secret }) => !secret && pattern.test(name))
}
