import { backendErrors, nearest, skillErrors } from './backend-errors.ts'
import { type ErrorEntry, httpErrors } from './http-errors.ts'
import { jobErrors } from './jobs/job-errors.ts'

/** Every error that leaves the program. Codes are never renamed. */
export const errors = {
  // Use
  USAGE: { status: 400, text: (p: { problem: string; try: string }) => `${p.problem} Try: ${p.try}` },
  NOT_BUILT: { status: 501, text: (p: { feature: string }) => `${p.feature} is not part of this version yet.` },
  INTERNAL: {
    status: 500,
    text: (p: { detail: string }) => `Something inside agent failed: ${p.detail}. The log has the details (agent logs errors).`,
  },
  UNSUPPORTED: { status: 501, text: (p: { what: string; by: string }) => `${p.by} does not support ${p.what}.` },
  INTERRUPTED: { status: 499, text: () => 'Interrupted.' },
  TIMED_OUT: { status: 504, text: (p: { what: string; ms: number }) => `${p.what} did not finish within ${p.ms} ms.` },
  // Configuration and home
  FILE_UNREADABLE: { status: 500, text: (p: { path: string; problem: string; fix: string }) => `${p.path} ${p.problem}; ${p.fix}.` },
  CONFIG_BROKEN: {
    status: 500,
    text: (p: { file: string; line: number; column?: number; reason: string }) =>
      `${p.file}:${p.line}${p.column === undefined ? '' : `:${p.column}`} is not valid YAML: ${p.reason}. Nothing was changed; correct the line, or start with --ignore-user-config.`,
  },
  CONFIG_INVALID: {
    status: 500,
    text: (p: { file: string; line: number; key: string; problem: string }) =>
      `${p.file}${p.line > 0 ? `:${p.line}` : ''}: ${p.key}: ${p.problem}.`,
  },
  CONFIG_TOO_NEW: {
    status: 500,
    text: (p: { file: string; found: number; known: number }) =>
      `${p.file} has _config_version ${p.found}; this program knows up to ${p.known}. Update agent, or restore an older file.`,
  },
  CONFIG_KEY_UNKNOWN: {
    status: 400,
    text: (p: { key: string; nearest?: string }) => `There is no configuration key "${p.key}".${nearest(p)} agent config get lists them.`,
  },
  CONFIG_VALUE_INVALID: { status: 400, text: (p: { key: string; problem: string }) => `${p.key} was not changed: it ${p.problem}.` },
  ENV_MISSING: { status: 500, text: (p: { name: string; file: string }) => `${p.name} is not set. Put ${p.name}=… into ${p.file}.` },
  ENV_INVALID: { status: 500, text: (p: { name: string; problem: string }) => `The value of ${p.name} cannot be used: it ${p.problem}.` },
  PROFILE_NOT_FOUND: { status: 404, text: (p: { profile: string }) => `There is no profile named "${p.profile}".` },
  PROFILE_NAME_INVALID: {
    status: 400,
    text: (p: { profile: string }) =>
      `"${p.profile}" cannot be a profile name: use letters, digits, hyphen and underscore; "default" is taken.`,
  },
  HOME_UNUSABLE: { status: 500, text: (p: { path: string; reason: string }) => `The agent home ${p.path} cannot be used: ${p.reason}.` },

  BUDGET_SPENT: {
    status: 402,
    text: (p: { budget: string; taken: string; needed: string }) =>
      `The budget of ${p.budget} is spent: ${p.taken} are taken, and this call needs about ${p.needed}. agent usage shows by what; budgets in config.yaml sets it.`,
  },
  PRICE_UNKNOWN: {
    status: 402,
    text: (p: { budget: string; model: string }) =>
      `The budget of ${p.budget} counts money, and nobody knows what ${p.model} costs. Put its price into prices of config.yaml, or choose another model.`,
  },
  SANDBOX_MISSING: { status: 503, text: (p: { problem: string }) => p.problem },

  // Store
  STORE_TOO_NEW: {
    status: 500,
    text: (p: { file: string; found: number; known: number }) =>
      `${p.file} was written by a newer agent (schema ${p.found}, this one knows ${p.known}). Update agent, or use another AGENT_HOME.`,
  },
  STORE_CORRUPT: {
    status: 500,
    text: (p: { file: string; moved: string }) => `${p.file} is damaged and was moved to ${p.moved}; a new one was started.`,
  },
  STORE_FULL: {
    status: 507,
    text: (p: { file: string }) =>
      `The disk is full: ${p.file} could not be written. Nothing was half-written; free some space and try again.`,
  },
  STORE_BUSY: { status: 503, text: (p: { file: string }) => `${p.file} stayed locked by another process. Try again.` },
  NATIVE_MISSING: {
    status: 500,
    text: (p: { module: string; path: string }) => `The native module ${p.module} is missing (${p.path}). Run npm start once to build it.`,
  },
  CLAIM_LOST: { status: 409, text: (p: { what: string }) => `${p.what} belongs to another process now; this result was dropped.` },
  SESSION_NOT_FOUND: {
    status: 404,
    text: (p: { session: string }) => `There is no session "${p.session}". agent sessions list shows them.`,
  },
  SESSION_AMBIGUOUS: {
    status: 409,
    text: (p: { session: string; matches: string }) => `"${p.session}" fits several sessions: ${p.matches}.`,
  },
  SESSION_FILE_INVALID: {
    status: 400,
    text: (p: { file: string; line: number; problem: string }) =>
      `${p.file}:${p.line}: ${p.problem}. Nothing was imported; agent sessions export writes such a file.`,
  },
  TITLE_TAKEN: { status: 409, text: (p: { title: string }) => `Another session is already called "${p.title}".` },
  TITLE_INVALID: { status: 400, text: (p: { reason: string }) => `That title cannot be used: ${p.reason}.` },

  // Plugins
  PLUGIN_NOT_FOUND: {
    status: 404,
    text: (p: { id: string; nearest?: string }) => `There is no plugin "${p.id}".${nearest(p)} agent plugins list shows them.`,
  },
  PLUGIN_AMBIGUOUS: { status: 409, text: (p: { id: string; matches: string }) => `"${p.id}" fits several plugins: ${p.matches}.` },
  PLUGIN_BLOCKED: {
    status: 409,
    text: (p: { plugin: string; reason: string; fix: string }) => `${p.plugin} cannot run: ${p.reason}. ${p.fix}`,
  },
  PLUGIN_MANIFEST_INVALID: {
    status: 500,
    text: (p: { file: string; path: string; problem: string }) => `${p.file}: ${p.path}: ${p.problem}.`,
  },
  PLUGIN_UNDECLARED: {
    status: 500,
    text: (p: { plugin: string; access: string; field: string }) =>
      `${p.plugin} used ${p.access} without declaring it: add ${p.field} to its manifest.`,
  },
  PLUGIN_SHAPE: { status: 500, text: (p: { plugin: string; entry: string; problem: string }) => `${p.plugin}: ${p.entry} ${p.problem}.` },
  PLUGIN_FAILED: {
    status: 500,
    text: (p: { plugin: string; during: string; detail: string }) => `${p.plugin} failed during ${p.during}: ${p.detail}.`,
  },
  PLUGIN_INACTIVE: { status: 500, text: (p: { plugin: string }) => `${p.plugin} is not active any more.` },
  PLUGIN_RESTART: {
    status: 409,
    text: (p: { plugin: string }) =>
      `${p.plugin} runs inside the gateway, so its new code takes effect at the next start: agent gateway restart.`,
  },
  PLUGIN_BUILD: { status: 500, text: (p: { plugin: string; path: string; problem: string }) => `${p.plugin}: ${p.path}: ${p.problem}.` },
  PLUGIN_REFUSED: {
    status: 409,
    text: (p: { package: string; reason: string; problem: string }) => `${p.package}: ${p.problem}. Nothing was changed (${p.reason}).`,
  },
  PLUGIN_FETCH: { status: 502, text: (p: { what: string; detail: string }) => `${p.what} could not be fetched: ${p.detail}.` },
  PLUGIN_CONSENT: {
    status: 403,
    text: (p: { plugin: string; hash: string }) =>
      `Nobody has agreed to what ${p.plugin} declares, and nobody is here to ask. Read it above, then run the same command with --accept ${p.hash}.`,
  },
  PLUGIN_DECLINED: {
    status: 403,
    text: (p: { plugin: string }) => `${p.plugin} was not installed, since you did not agree. Nothing was changed.`,
  },
  PLUGINS_BUSY: {
    status: 409,
    text: (p: { pid: number }) => `Another command is changing the plugins (pid ${p.pid}). Try again when it has ended.`,
  },
  PLUGIN_LOCK_DAMAGED: {
    status: 500,
    text: (p: { file: string; reason: string }) => `${p.file} cannot be read: ${p.reason}. Restore it, or set it aside and install again.`,
  },
  BORDER_VALUE: {
    status: 500,
    text: (p: { path: string; problem: string }) => `${p.path} cannot cross the border between host and plugin: ${p.problem}.`,
  },
  CONTRACT_BROKEN: {
    status: 500,
    text: (p: { plugin: string; rule: string; problem: string }) => `${p.plugin} breaks the rule "${p.rule}": ${p.problem}.`,
  },
  HOOK_REFUSED: {
    status: 403,
    text: (p: { hook: string; plugin: string; reason: string }) => `${p.plugin} refused at ${p.hook}: ${p.reason}.`,
  },

  // Models: one code for each class of model failure
  NO_PROVIDER: {
    status: 401,
    text: () => 'No inference provider is configured. Run agent model, or set OPENAI_API_KEY, ANTHROPIC_API_KEY or another provider key.',
  },
  PROVIDER_UNKNOWN: {
    status: 400,
    text: (p: { provider: string; nearest?: string; model?: string }) =>
      `There is no provider "${p.provider}".${nearest(p)} agent model lists them.${p.model === undefined ? '' : ` If it is a model: ${p.model}`}`,
  },
  MODEL_MISSING: {
    status: 400,
    text: (p: { provider: string }) => `No model is chosen for ${p.provider}. Set model.default with agent config set model.default NAME.`,
  },
  LOGIN_NEEDED: { status: 401, text: (p: { provider: string }) => `${p.provider} needs a login. Run agent login ${p.provider}.` },
  LOGIN_ENDED: {
    status: 401,
    text: (p: { provider: string; detail: string }) =>
      `The login of ${p.provider} has ended: ${p.detail}. Run agent login ${p.provider} to log in again.`,
  },
  LOGIN_FAILED: {
    status: 502,
    text: (p: { provider: string; detail: string }) => `The login to ${p.provider} did not succeed: ${p.detail}.`,
  },
  MODEL_AUTH: {
    status: 401,
    text: (p: { provider: string; detail: string; variable?: string; file?: string }) =>
      p.variable === undefined
        ? `${p.provider} refused the key: ${p.detail}. Correct it, and see with agent doctor whether it is taken.`
        : `${p.provider} wants a key, and none was sent: ${p.detail}. Put ${p.variable}=… into ${p.file ?? 'the .env of the home'}.`,
  },
  MODEL_BILLING: { status: 402, text: (p: { provider: string; detail: string }) => `${p.provider} wants payment: ${p.detail}.` },
  MODEL_RATE_LIMIT: {
    status: 429,
    text: (p: { provider: string; detail: string }) => `${p.provider} limits the rate: ${p.detail}. Try again later.`,
  },
  MODEL_OVERLOADED: {
    status: 503,
    text: (p: { provider: string; detail: string }) => `${p.provider} is overloaded: ${p.detail}. Try again later.`,
  },
  MODEL_SERVER_ERROR: { status: 502, text: (p: { provider: string; detail: string }) => `${p.provider} failed on its side: ${p.detail}.` },
  MODEL_TIMEOUT: { status: 504, text: (p: { provider: string; detail: string }) => `${p.provider} did not answer in time: ${p.detail}.` },
  MODEL_DISCONNECTED: {
    status: 502,
    text: (p: { provider: string; detail: string }) => `The connection to ${p.provider} broke: ${p.detail}.`,
  },
  MODEL_CONTEXT_OVERFLOW: {
    status: 413,
    text: (p: { provider: string; detail: string }) =>
      `The conversation is too long for the model of ${p.provider}: ${p.detail}. Start a new one with /new.`,
  },
  MODEL_PAYLOAD_TOO_LARGE: {
    status: 413,
    text: (p: { provider: string; detail: string }) => `The request is too large for ${p.provider}: ${p.detail}.`,
  },
  MODEL_IMAGE_TOO_LARGE: {
    status: 413,
    text: (p: { provider: string; detail: string }) => `An image is too large for ${p.provider}: ${p.detail}.`,
  },
  MODEL_NOT_FOUND: {
    status: 404,
    text: (p: { provider: string; detail: string }) =>
      `${p.provider} does not have that model: ${p.detail}. agent model ${p.provider} --list shows what it has.`,
  },
  MODEL_PROVIDER_POLICY_BLOCKED: {
    status: 403,
    text: (p: { provider: string; detail: string }) => `${p.provider} does not allow this account to use the model: ${p.detail}.`,
  },
  MODEL_CONTENT_POLICY_BLOCKED: {
    status: 403,
    text: (p: { provider: string; detail: string }) => `${p.provider} refused the content: ${p.detail}.`,
  },
  MODEL_FORMAT_ERROR: {
    status: 400,
    text: (p: { provider: string; detail: string }) => `${p.provider} did not accept the request: ${p.detail}.`,
  },
  MODEL_THINKING_SIGNATURE: {
    status: 400,
    text: (p: { provider: string; detail: string }) => `${p.provider} did not accept earlier reasoning: ${p.detail}.`,
  },
  MODEL_LLAMA_CPP_GRAMMAR_PATTERN: {
    status: 400,
    text: (p: { provider: string; detail: string }) => `${p.provider} cannot turn a tool's schema into a grammar: ${p.detail}.`,
  },
  MODEL_UNKNOWN: { status: 502, text: (p: { provider: string; detail: string }) => `${p.provider} failed: ${p.detail}.` },

  // Turn and tools
  ITERATIONS_EXHAUSTED: {
    status: 500,
    text: (p: { limit: number }) => `The turn used all of its ${p.limit} steps. AGENT_MAX_ITERATIONS raises the limit.`,
  },
  SESSION_WAITING: { status: 409, text: (p: { session: string }) => `Session ${p.session} is answering something else.` },
  TOOL_UNKNOWN: { status: 400, text: (p: { tool: string; known: string }) => `There is no tool "${p.tool}". The tools are: ${p.known}.` },
  TOOL_NOT_FOUND: {
    status: 404,
    text: (p: { tool: string; nearest: string }) =>
      `There is no tool "${p.tool}". Nearest to it are: ${p.nearest}. tool_search finds others.`,
  },
  MCP_SERVER_UNKNOWN: {
    status: 404,
    text: (p: { server: string; nearest?: string }) =>
      `There is no MCP server ${p.server}${p.nearest === undefined ? '' : `; the nearest is ${p.nearest}`}. agent mcp list shows those that there are, agent mcp catalog what can be installed.`,
  },
  MCP_SERVER_EXISTS: {
    status: 409,
    text: (p: { server: string }) => `There is an MCP server ${p.server} already. agent mcp remove ${p.server} takes it out.`,
  },
  TOOL_ARGUMENTS: { status: 400, text: (p: { tool: string; problem: string }) => `The arguments of ${p.tool} do not fit: ${p.problem}.` },
  TOOL_CALL_REFUSED: { status: 400, text: (p: { tool: string; reason: string }) => `This call of ${p.tool} was not run: ${p.reason}.` },
  TOOL_FAILED: { status: 500, text: (p: { tool: string; detail: string }) => `${p.tool} failed: ${p.detail}` },
  DELEGATION_REFUSED: { status: 409, text: (p: { problem: string }) => `No child agent was started: ${p.problem}.` },
  DELEGATION_ENDED: { status: 409, text: (p: { session: string }) => `The child agent of session ${p.session} does not work any more.` },
  TOOL_OUTCOME_UNKNOWN: {
    status: 500,
    text: (p: { tool: string }) => `${p.tool} was interrupted; its outcome is unknown. It was not run again.`,
  },
  RESULT_UNCLAIMED: {
    status: 400,
    text: (p: { call: string }) => `Nothing waits for the result of the call ${p.call}. Send the message that made the call along with it.`,
  },
  RESPONSE_FORMAT: { status: 400, text: (p: { problem: string }) => `The response format cannot be used: ${p.problem}.` },
  ANSWER_MISFORMED: {
    status: 502,
    text: (p: { problem: string }) => `The model answered twice in another form than the request demands: ${p.problem}.`,
  },
  ...skillErrors,
  ...backendErrors,
  NOBODY_TO_ASK: { status: 409, text: (p: { what: string }) => `Nobody can answer here: ${p.what}.` },
  APPROVAL_DENIED: {
    status: 403,
    text: (p: { subject: string; reason: string; setting: string }) => `Not allowed: ${p.subject} (${p.reason}). ${p.setting}`,
  },
  COMMAND_FORBIDDEN: { status: 403, text: (p: { reason: string }) => `This command is never run: ${p.reason}. No setting allows it.` },
  PATH_PROTECTED: { status: 403, text: (p: { path: string }) => `${p.path} is protected and cannot be used by tools.` },

  // Gateway and platforms
  GATEWAY_RUNNING: {
    status: 409,
    text: (p: { pid: number; home: string; url: string; served?: string }) =>
      `A gateway already runs for ${p.home} (pid ${p.pid}, ${p.url}).${p.served ? ` It is that of the default profile, which serves ${p.served} too: agent -p ${p.served} gateway stop takes it out.` : ''}`,
  },
  GATEWAY_NOT_RUNNING: { status: 409, text: (p: { home: string }) => `No gateway runs for ${p.home}. Start one with agent gateway start.` },
  CONTROL_REQUEST: { status: 400, text: (p: { problem: string }) => `The gateway does not understand the request: ${p.problem}.` },
  CONTROL_UNREACHABLE: {
    status: 503,
    text: (p: { home: string; detail: string }) =>
      `The gateway of ${p.home} runs and cannot be asked: ${p.detail}. agent gateway restart starts it again.`,
  },
  PORT_IN_USE: {
    status: 500,
    text: (p: { host: string; port: number; setting: string }) =>
      `${p.host}:${p.port} is taken by another program. Choose another port with ${p.setting}.`,
  },
  BIND_UNSAFE: {
    status: 500,
    text: (p: { host: string; setting: string }) =>
      `Refusing to listen on ${p.host} without a key: anyone who reaches it could run commands. Set ${p.setting}, or listen on 127.0.0.1.`,
  },
  OFFLINE_MODEL: {
    status: 500,
    text: (p: { platform: string }) =>
      `${p.platform} reaches other people and does not start on the offline model. Configure a provider with agent model.`,
  },
  PLATFORM_AUTH: { status: 502, text: (p: { platform: string; detail: string }) => `${p.platform} refused the credentials: ${p.detail}.` },
  PLATFORM_UNREACHABLE: { status: 502, text: (p: { platform: string; detail: string }) => `${p.platform} cannot be reached: ${p.detail}.` },
  PLATFORM_LOST: {
    status: 502,
    text: (p: { platform: string; detail: string }) => `The connection to ${p.platform} was lost: ${p.detail}.`,
  },
  PLATFORM_UNKNOWN: {
    status: 404,
    text: (p: { platform: string; nearest?: string }) => `There is no messaging platform "${p.platform}".${nearest(p)}`,
  },
  HOME_CHANNEL_MISSING: {
    status: 409,
    text: (p: { platform: string; variable: string }) =>
      `${p.platform} has no home channel. Set it with agent config set platforms.${p.platform}.home_channel ID or ${p.variable}, or name a conversation: ${p.platform}:ID.`,
  },
  CHANNEL_UNKNOWN: {
    status: 404,
    text: (p: { platform: string; name: string; nearest?: string }) =>
      `No conversation on ${p.platform} is called "${p.name}".${nearest(p)} agent gateway directory ${p.platform} lists them.`,
  },
  CHANNEL_AMBIGUOUS: {
    status: 409,
    text: (p: { platform: string; name: string; matches: string }) =>
      `"${p.name}" fits several conversations on ${p.platform}: ${p.matches}. Use the id: ${p.platform}:ID.`,
  },
  CHANNEL_UNSURE: {
    status: 409,
    text: (p: { platform: string; name: string; matches: string }) =>
      `Nobody is known as "${p.name}" on ${p.platform}, and nothing was sent. Did you mean ${p.matches}? With --exact it goes to "${p.name}".`,
  },
  PAIRING_CODE_WRONG: {
    status: 403,
    text: (p: { platform: string; left: number }) =>
      `Nobody on ${p.platform} waits with that code; a code lasts an hour. ${p.left === 1 ? 'One try is' : `${p.left} tries are`} left.`,
  },
  PAIRING_LOCKED: {
    status: 429,
    text: (p: { platform: string; until: string }) => `Too many wrong codes: pairing on ${p.platform} is locked until ${p.until}.`,
  },
  PAIRING_REQUEST_UNKNOWN: {
    status: 404,
    text: (p: { platform: string; request: string }) => `Nobody on ${p.platform} waits with the request "${p.request}".`,
  },
  PAIRING_USER_UNKNOWN: {
    status: 404,
    text: (p: { platform: string; user: string; nearest?: string }) =>
      `"${p.user}" was not let in on ${p.platform} by pairing.${nearest(p)} agent pairing list shows who was.`,
  },
  PAIRING_DAMAGED: {
    status: 500,
    text: (p: { file: string; reason: string }) => `${p.file} cannot be read: ${p.reason}. Correct it, or delete it and pair again.`,
  },
  PLATFORM_SILENT: {
    status: 502,
    text: (p: { platform: string; seconds: number }) =>
      `Nothing was heard from ${p.platform} for ${p.seconds} seconds; a new connection replaces this one.`,
  },
  CREDENTIAL_IN_USE: {
    status: 409,
    text: (p: { platform: string; name: string; pid: number; home: string }) =>
      `Another gateway on this machine uses this ${p.name} for ${p.platform} (pid ${p.pid}, ${p.home}). Stop it, or give this home another ${p.name}.`,
  },
  SEND_REFUSED: { status: 502, text: (p: { platform: string; detail: string }) => `${p.platform} refused the message: ${p.detail}.` },
  SEND_UNKNOWN: {
    status: 502,
    text: (p: { platform: string; detail: string }) => `Nobody can tell whether ${p.platform} delivered the message: ${p.detail}.`,
  },

  MEDIA_TOO_LARGE: { status: 413, text: (p: { limit: number }) => `The file is larger than ${Math.floor(p.limit / 1024)} KiB.` },
  MEDIA_MISSING: { status: 404, text: (p: { path: string }) => `There is no file ${p.path}.` },
  MEDIA_NOT_IMAGE: { status: 415, text: (p: { name: string }) => `${p.name} is no PNG, JPEG, GIF, BMP or WebP image.` },
  ...jobErrors,
  ...httpErrors,
} as const satisfies Record<string, ErrorEntry>
