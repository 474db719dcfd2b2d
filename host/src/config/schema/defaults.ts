import type { Config } from './schema.ts'

/** The `_config_version` that this program writes. */
export const configVersion = 26

/**
 * What holds where config.yaml is silent. Empty text means "not chosen".
 * Plain data beside the schema, so that a start without config.yaml loads neither zod nor the YAML parser.
 */
export const defaultConfig: Config = {
  _config_version: configVersion,
  model: { provider: '', default: '', base_url: '', api_key: '' },
  fallback_model: { provider: '', model: '', base_url: '', api_key: '' },
  fallback_providers: [],
  credential_pool_strategies: {},
  budgets: [],
  prices: [],
  models: [],
  agent: { max_turns: 90, api_timeout: 900, reasoning_effort: '', image_input: 'auto', rule_files: true },
  approvals: { mode: 'ask', timeout: 300, deny: [] },
  command_allowlist: [],
  display: { interface: 'cli', show_reasoning: false, theme_mode: 'system', busy_input_mode: 'interrupt' },
  dashboard: { public_url: '', base_path: '', trusted_proxies: [] },
  terminal: {
    backend: 'local',
    timeout: 180,
    persistent_shell: true,
    container_forward_env: [],
    container_mount_cwd_to_workspace: false,
    sandbox: 'auto',
    network: 'on',
    writable: [],
    hidden: [],
  },
  checkpoints: { enabled: false, max_snapshots: 20 },
  compression: {
    enabled: true,
    threshold: 0.5,
    threshold_tokens: 256_000,
    target_ratio: 0.2,
    protect_first_n: 3,
    protect_last_n: 20,
    abort_on_summary_failure: false,
    summary_provider: '',
    summary_model: '',
    summary_base_url: '',
  },
  auxiliary: { compression: { provider: 'auto' } },
  delegation: { provider: '', model: '', base_url: '', api_key: '', max_iterations: 50, max_concurrent_children: 3 },
  toolsets: {},
  web: { backend: '' },
  image: { backend: '' },
  context: { engine: 'compressor' },
  stt: { enabled: true, provider: 'local', providers: {} },
  background_process_notifications: 'all',
  memory: { write_approval: false },
  skills: { guard_agent_created: false, write_approval: false },
  updates: { pre_update_backup: 'quick', backup_keep: 5, non_interactive_local_changes: 'stash' },
  security: { website_blocklist: [], allow_private_urls: false },
  session_reset: { mode: 'both', at_hour: 4, idle_minutes: 1440 },
  unauthorized_dm_behavior: 'pair',
  platforms: {},
  plugins: { entries: {}, deny: [], sandbox: 'auto' },
  gateway: { http: { host: '127.0.0.1', port: 8644 }, receive_timeout: 120 },
  store: { durability: 'full' },
  logging: { level: 'info', max_size_mb: 5, backup_count: 3 },
}
