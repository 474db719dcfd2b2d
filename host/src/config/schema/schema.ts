// zod/mini: this schema is built by every process that finds a config.yaml, in two thirds of the time.
import * as z from 'zod/mini'
import { mcpServerName, mcpServerSchema } from './mcp-server-schema.ts'
import { notifierSchema } from './notifier-schema.ts'
import { busyMode, platformSchema, strangerRule } from './platform-schema.ts'

const seconds = z.int().check(z.minimum(1))
const text = z.string()
const names = z.array(z.string())
/** A separate endpoint for one task; empty text means "as the main model". */
const endpoint = { provider: text, model: text, base_url: text, api_key: text }

const auxiliaryTask = z.strictObject({
  provider: z.optional(text),
  model: z.optional(text),
  base_url: z.optional(text),
  api_key: z.optional(text),
  timeout: z.optional(seconds),
})

const pluginEntry = z.strictObject({
  enabled: z.optional(z.boolean()),
  isolation: z.optional(z.enum(['inproc', 'process'])),
  sandbox: z.optional(z.enum(['bwrap', 'off'])),
  /** Most memory of the plugin's child, in MiB. */
  memory_mb: z.optional(z.int().check(z.minimum(64))),
  /** Checked against the plugin's manifest. */
  config: z.optional(z.record(z.string(), z.unknown())),
})

/** The whole of config.yaml once defaults are filled in. Every object is closed; ids of plugins and platforms are open. */
const window = { per: z.enum(['day', 'month']), platform: z.optional(text), person: z.optional(text), job: z.optional(text) }
const tokens = z.int().check(z.minimum(1))
const rate = z.number().check(z.minimum(0))

export const configSchema = z.strictObject({
  _config_version: z.int().check(z.minimum(0)),
  model: z.strictObject({ provider: text, default: text, base_url: text, api_key: text }),
  fallback_model: z.strictObject(endpoint),
  /** Asked one after the other where the model does not answer; `fallback_model` is asked where this is empty. */
  fallback_providers: z.array(z.strictObject({ provider: text, model: text, base_url: z.optional(text), api_key: z.optional(text) })),
  /** Which of several keys of a provider is taken, by provider. */
  credential_pool_strategies: z.record(z.string(), z.enum(['fill_first', 'round_robin', 'least_used', 'random', 'quota_aware'])),
  /** Tokens, in and out, or dollars that may be taken in a day or a month: by everything, through one door, for a person, or by a job. */
  budgets: z.array(
    z.union([
      z.strictObject({ tokens: z.int().check(z.minimum(1)), ...window }),
      z.strictObject({ money: z.number().check(z.positive()), ...window }),
    ]),
  ),
  /** What models cost, in dollars for a million tokens; it holds before the list that comes with agent. */
  prices: z.array(
    z.strictObject({ provider: text, model: text, input: rate, output: rate, cache_read: z.optional(rate), cache_write: z.optional(rate) }),
  ),
  /** What is known of models; it holds before a fetched catalog. */
  models: z.array(
    z.strictObject({
      ...{ provider: text, model: text, context: z.optional(tokens), output: z.optional(tokens) },
      input: z.optional(z.array(z.enum(['text', 'image', 'pdf', 'audio', 'video']))),
    }),
  ),
  agent: z.strictObject({
    max_turns: z.int().check(z.minimum(1)),
    api_timeout: seconds,
    reasoning_effort: z.enum(['', 'none', 'low', 'medium', 'high', 'xhigh']),
    /** `text`: another model describes pictures; `auto`: where the model is known not to see. */
    image_input: z.enum(['auto', 'native', 'text']),
    /** SOUL.md and the rule files of the workspace are part of the prompt. */
    rule_files: z.boolean(),
  }),
  approvals: z.strictObject({ mode: z.enum(['ask', 'smart', 'off']), timeout: seconds, deny: names }),
  command_allowlist: names,
  display: z.strictObject({
    interface: z.enum(['cli', 'tui']),
    show_reasoning: z.boolean(),
    theme_mode: z.enum(['light', 'dark', 'system']),
    busy_input_mode: busyMode,
  }),
  dashboard: z.strictObject({
    /** Where browsers reach it through a proxy; its login is on then. */
    public_url: text,
    /** The path below which a proxy shows it, such as /agent. */
    base_path: text.check(z.regex(/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/)),
    /** Addresses of proxies whose word is taken on who asks and how. */
    trusted_proxies: z.array(text.check(z.regex(/^[\da-fA-F.:]+(\/\d{1,3})?$/))),
    /** Gates of plugins by which people log in where it has a login: each as the plugin, a colon and the gate. */
    gates: z.array(
      text.check(z.regex(/^[a-z0-9][a-z0-9-]{0,62}:[a-z0-9][a-z0-9-]{0,62}$/, 'a plugin and its gate, such as gate-office:office')),
    ),
  }),
  terminal: z.strictObject({
    backend: text,
    timeout: z.int().check(z.minimum(1), z.maximum(600)),
    persistent_shell: z.boolean(),
    container_forward_env: names,
    container_mount_cwd_to_workspace: z.boolean(),
    sandbox: z.enum(['auto', 'required', 'off']),
    /** Of commands in the sandbox. */
    network: z.enum(['on', 'off']),
    /** Paths beside the workspace that commands in the sandbox may write to, and paths that they do not see. */
    writable: names,
    hidden: names,
  }),
  checkpoints: z.strictObject({
    enabled: z.boolean(),
    max_snapshots: z.int().check(z.minimum(1)),
    max_total_size_mb: z.int().check(z.minimum(1)),
    /** A file is in memory while it comes back. */
    max_file_size_mb: z.int().check(z.minimum(1), z.maximum(1000)),
    retention_days: z.int().check(z.minimum(1)),
  }),
  compression: z.strictObject({
    enabled: z.boolean(),
    /** The share of a model's window from which on a conversation is made shorter, and the most tokens of it; 0: no matter how many. */
    threshold: z.number().check(z.gt(0), z.maximum(1)),
    threshold_tokens: z.int().check(z.minimum(0)),
    target_ratio: z.number().check(z.minimum(0.1), z.maximum(0.8)),
    /** Messages that stay word for word where there is room; the prompt counts as the first one. */
    protect_first_n: z.int().check(z.minimum(0)),
    protect_last_n: z.int().check(z.minimum(0)),
    /** Where no model writes notes, a conversation stays as it is. */
    abort_on_summary_failure: z.boolean(),
    summary_provider: text,
    summary_model: text,
    summary_base_url: text,
  }),
  auxiliary: z.record(z.string(), auxiliaryTask),
  delegation: z.strictObject({
    ...endpoint,
    max_iterations: z.int().check(z.minimum(1)),
    max_concurrent_children: z.int().check(z.minimum(1)),
    /** 1: child agents have none themselves. */
    max_spawn_depth: z.int().check(z.minimum(0)),
    /** 0: as long as it takes. */
    child_timeout_seconds: z.int().check(z.minimum(0), z.maximum(2_000_000)),
  }),
  /** Scripts that call tools. */
  code_execution: z.strictObject({
    /** Seconds that a script may take. */
    timeout: z.int().check(z.minimum(1), z.maximum(600)),
    max_tool_calls: z.int().check(z.minimum(1), z.maximum(500)),
    /** Seconds after which an interpreter ends that nobody uses. */
    kernel_idle_timeout: z.int().check(z.minimum(1), z.maximum(86_400)),
    /** Interpreters that are kept, of all conversations together. */
    max_session_kernels: z.int().check(z.minimum(1), z.maximum(64)),
  }),
  /** Named sets of toolsets. */
  toolsets: z.record(z.string(), names),
  tools: z.strictObject({
    /** Tools of others that the model is not shown, but finds by `tool_search` and calls through `tool_call`. */
    tool_search: z.strictObject({
      /** `auto`: as soon as there are more than `max_listed` of them. */
      enabled: z.enum(['auto', 'on', 'off']),
      max_listed: z.int().check(z.minimum(0)),
      search_default_limit: z.int().check(z.minimum(1), z.maximum(25)),
    }),
  }),
  web: z.strictObject({ backend: text }),
  /** Of the browser that the tools `browser_*` use. */
  browser: z.strictObject({
    /** Empty: the first of chromium, chromium-browser and google-chrome that is installed. */
    executable: text,
    headed: z.boolean(),
    /** The browser keeps pages in its own sandbox, which it cannot where root starts it. */
    sandbox: z.boolean(),
    /** Pages of this machine and its network too. */
    allow_private_urls: z.boolean(),
    /** A browser that runs already, by its address for debuggers. */
    cdp_url: text,
    /** Seconds without a call after which the pages of a conversation are closed. */
    inactivity_timeout: z.int().check(z.minimum(5), z.maximum(86_400)),
    /** Seconds that one step in a page may take. */
    command_timeout: z.int().check(z.minimum(1), z.maximum(240)),
    /** Characters of a page that are shown at once. */
    snapshot_threshold: z.int().check(z.minimum(1000), z.maximum(80_000)),
    dialog_policy: z.enum(['auto_dismiss', 'auto_accept']),
  }),
  image: z.strictObject({ backend: text }),
  /** What keeps a long conversation inside its window. */
  context: z.strictObject({ engine: text }),
  /** `providers` is keyed by engine, so that an engine needs no key here. */
  stt: z.strictObject({
    enabled: z.boolean(),
    provider: text,
    providers: z.record(z.string(), z.strictObject({ model: z.optional(text), base_url: z.optional(text) })),
  }),
  /** Jobs, which are done at a time. */
  cron: z.strictObject({
    /** IANA name of the zone of jobs that name none; empty: that of this machine. */
    timezone: text,
    /** Repeated jobs make up for what they missed while no gateway ran, once, unless they say otherwise. */
    catch_up_missed: z.boolean(),
    /** Runs may make and change jobs themselves. */
    allow_agent_scheduling: z.boolean(),
    /** The name of a job stands above its answer. */
    wrap_response: z.boolean(),
    max_parallel_jobs: z.int().check(z.minimum(1)),
    /** So many runs of a job are kept with their outputs. */
    output_retention: z.int().check(z.minimum(1)),
  }),
  /** Where notifiers of plugins write, and when, by their names. */
  notifiers: z.record(z.string(), notifierSchema),
  background_process_notifications: z.enum(['all', 'result', 'error', 'off']),
  memory: z.strictObject({
    /** Empty: files; `none`: nothing is remembered. */
    provider: text,
    memory_enabled: z.boolean(),
    user_profile_enabled: z.boolean(),
    memory_char_limit: z.int().check(z.minimum(1)),
    user_char_limit: z.int().check(z.minimum(1)),
    write_approval: z.boolean(),
    /** After so many turns of a conversation a model looks for what to remember, and proposes it; 0: never. */
    nudge_interval: z.int().check(z.minimum(0)),
    /** People on platforms who are the owner of this profile, `platform:id`: in direct messages they share his memory. */
    owners: names,
  }),
  /** Servers of tools, by name. */
  mcp_servers: z.record(mcpServerName, mcpServerSchema),
  skills: z.strictObject({
    guard_agent_created: z.boolean(),
    write_approval: z.boolean(),
    creation_nudge_interval: z.int().check(z.minimum(0)),
    /** What the owner has set for skills, by the keys that they name. */
    config: z.record(z.string(), z.unknown()),
  }),
  updates: z.strictObject({
    pre_update_backup: z.enum(['quick', 'full', 'off']),
    backup_keep: z.int().check(z.minimum(0)),
    non_interactive_local_changes: z.enum(['stash', 'discard']),
  }),
  /** `allow_private_urls` lets tools ask addresses of this machine and its network. */
  security: z.strictObject({ website_blocklist: names, allow_private_urls: z.boolean() }),
  sessions: z.strictObject({
    /** A model gives a title to conversations of people. */
    auto_title: z.boolean(),
    /** The gateway deletes sessions that nobody has used for `retention_days`, once a day. */
    auto_prune: z.boolean(),
    retention_days: z.int().check(z.minimum(1)),
  }),
  session_reset: z.strictObject({
    mode: z.enum(['none', 'idle', 'daily', 'both']),
    at_hour: z.int().check(z.minimum(0), z.maximum(23)),
    /** 0: no time without a message ends a session. */
    idle_minutes: z.int().check(z.minimum(0)),
  }),
  unauthorized_dm_behavior: strangerRule,
  platforms: z.record(z.string(), platformSchema),
  plugins: z.strictObject({
    entries: z.record(z.string(), pluginEntry),
    deny: names,
    /** Of plugins that did not come with agent. */
    sandbox: z.enum(['auto', 'required', 'off']),
    /** Signed lists of plugins that an organisation recommends, blocks or has withdrawn: the address, and the public ed25519 key of who signs it. */
    catalogs: z.array(z.strictObject({ url: text, signed_by: text })),
  }),
  gateway: z.strictObject({
    http: z.strictObject({ host: text, port: z.int().check(z.minimum(0), z.maximum(65_535)) }),
    /** Seconds of silence after which a connection to a platform is replaced. */
    receive_timeout: z.int().check(z.minimum(30), z.maximum(600)),
    /** The gateway of the default profile serves all others too, in one process. */
    multiplex_profiles: z.boolean(),
  }),
  store: z.strictObject({ durability: z.enum(['full', 'process']) }),
  logging: z.strictObject({
    level: z.enum(['debug', 'info', 'warn', 'error']),
    max_size_mb: z.number().check(z.gt(0)),
    backup_count: z.int().check(z.minimum(0)),
  }),
})

export type Config = z.output<typeof configSchema>
