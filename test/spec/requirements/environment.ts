import { defineSection } from '../define-section.ts'

export const environment = defineSection('Environment variables', {
  'env.agent-home.default': {
    since: 1,
    hash: 'ea4102c6c1f2',
    text: 'AGENT_HOME is the home; without it ~/.agent, and on Windows the agent folder of the local application data.',
  },
  'env.agent-home.legacy': { since: 1, hash: 'ea4102c6c1f2', text: 'An older home that exists is kept as long as the new one does not.' },
  'env.agent-home.scope': {
    since: 1,
    hash: 'ea4102c6c1f2',
    text: 'Process files and service names depend on the home, so that two installations do not meet.',
  },
  'env.max-iterations': { since: 1, hash: '5cb6c535884e', text: 'AGENT_MAX_ITERATIONS is 90 when unset.' },
  'env.api-timeout': { since: 1, hash: '319ad7d60b15', text: 'AGENT_API_TIMEOUT is in seconds and 900 when unset.' },
  'env.inference-provider': { since: 1, hash: 'd6a83a8b48ba', text: 'AGENT_INFERENCE_PROVIDER chooses the provider.' },
  'env.ephemeral-prompt': {
    since: 1,
    hash: 'd0d32c78e51d',
    text: 'AGENT_EPHEMERAL_SYSTEM_PROMPT adds to the system prompt without being stored.',
  },
  'env.background-notifications': {
    since: 1,
    hash: '3489b8253036',
    text: 'AGENT_BACKGROUND_NOTIFICATIONS sets background_process_notifications.',
  },
  'env.tui': { since: 6, hash: 'f6e764629c37', text: 'AGENT_TUI=1 opens the full-screen client.' },
  'env.safe-mode': { since: 1, hash: '744465d63451', text: '--safe-mode tells the rest of the program through AGENT_SAFE_MODE.' },
  'env.api-server-key': {
    since: 1,
    hash: '19fdd0e840e3',
    text: 'API_SERVER_KEY makes the HTTP API ask for this bearer token; more settings share its prefix.',
  },
  'env.provider-key': { since: 1, hash: '349f76db6fca', text: 'Every provider takes its key from <PROVIDER>_API_KEY.' },
  'env.provider-base-url': { since: 1, hash: '349f76db6fca', text: 'Every provider takes its endpoint from <PROVIDER>_BASE_URL.' },
  'env.dashboard.session-token': {
    since: 5,
    hash: 'b0253eac9507',
    text: "AGENT_DASHBOARD_SESSION_TOKEN fixes the dashboard's session token.",
  },
  'env.dashboard.basic-auth': {
    since: 5,
    hash: 'cdc122482687',
    text: 'Variables that begin with AGENT_DASHBOARD_BASIC_AUTH_ set up login by name and password.',
  },
  'env.dashboard.oauth-client-id': {
    since: 5,
    hash: 'f5b444ea3f95',
    text: 'AGENT_DASHBOARD_OAUTH_CLIENT_ID holds the client id for OAuth.',
  },
  'env.dashboard.oidc': {
    since: 5,
    hash: '523879c2b4ff',
    text: "Variables that begin with AGENT_DASHBOARD_OIDC_ set up an OIDC provider of one's own.",
  },
  'env.dashboard.tui-obsolete': { since: 5, hash: 'edc128329ce0', text: 'AGENT_DASHBOARD_TUI does nothing any more.' },
  'env.gateway-bootstrap': {
    since: 2,
    hash: '1304aeeb4f58',
    text: "AGENT_GATEWAY_BOOTSTRAP_STATE=running writes the gateway's state file when it boots for the first time.",
  },
  'env.desktop.remote': {
    since: 6,
    hash: 'afd9312f317a',
    text: 'URL and token of a remote backend come from AGENT_DESKTOP_REMOTE_URL and AGENT_DESKTOP_REMOTE_TOKEN, and one without the other is refused.',
  },
  'env.desktop.ignore-existing': {
    since: 6,
    hash: '163131f383aa',
    text: 'AGENT_DESKTOP_IGNORE_EXISTING makes the desktop app pass over a backend that is there.',
  },
  'env.desktop.agent-root': { since: 6, hash: '8b2521cefb82', text: 'AGENT_DESKTOP_AGENT_ROOT says where the agent lies.' },
  'env.sms': { since: 2, hash: '845faefc287c', text: 'Account, token and number of the SMS provider come from the environment.' },
  'env.home-automation': { since: 2, hash: '174b05a6e9cb', text: 'Token and URL of the home-automation server come from the environment.' },
  // This is the chat whose app is known by a client id and a secret: none of the platforms of milestone 2.
  'env.enterprise-chat': {
    since: 6,
    hash: 'bf970fc1a60e',
    text: "The enterprise chat's client id and secret come from the environment, or from client_id and client_secret of its extra settings.",
  },
})
