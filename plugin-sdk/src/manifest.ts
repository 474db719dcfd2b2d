import * as z from 'zod'
import { type HookName, hookKinds } from './hooks.ts'

/** The kinds of contribution whose contract exists in this version of the host. */
export const contractKinds = ['platform', 'provider', 'toolset', 'web-backend', 'hooks', 'commands', 'skills'] as const
export type ContractKind = (typeof contractKinds)[number]
/** Kinds whose contributions may have code. */
export type CodeKind = Exclude<ContractKind, 'skills'>

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
const environmentName = z.string().regex(/^[A-Z][A-Z0-9_]*$/)
/** A built file inside the plugin's folder. */
const entry = z.string().regex(/^(?!.*\.\.)[a-zA-Z0-9._/-]+\.js$/)
/** A JSON Schema object; closed at every level by the build. */
const jsonSchema = z.record(z.string(), z.unknown())
const withReason = <T extends z.ZodType>(value: T) => z.strictObject({ value, reason: z.string().min(1) })

const platform = z.strictObject({
  id: name,
  entry,
  label: z.string(),
  /** `messaging` hands in messages and gets answers by send; `request` holds the connection and runs turns. */
  door: z.enum(['messaging', 'request']),
  /** `people`: other people can be reached through it. `owner`: only who runs the agent, on this machine. */
  reach: z.enum(['people', 'owner']),
  /** What somebody who is not let in gets in a direct message. `ignore` suits channels where an answer costs money or bothers people. */
  unknownSenders: z.enum(['pair', 'ignore']).default('pair'),
  /** `sender`: each person has to be let in. `source`: the platform has checked by its own means (a signature, a token) that it may be answered. */
  gate: z.enum(['sender', 'source']).default('sender'),
  /** The first seven are methods of the connection, which has exactly those that are declared. */
  capabilities: z.strictObject({
    edit: z.boolean().default(false),
    findSent: z.boolean().default(false),
    typing: z.boolean().default(false),
    react: z.boolean().default(false),
    fetchMedia: z.boolean().default(false),
    setCommands: z.boolean().default(false),
    listConversations: z.boolean().default(false),
    /** A repeated send with the same key arrives once. */
    idempotentSend: z.boolean().default(false),
    /** Files go out with a message. */
    media: z.boolean().default(false),
    buttons: z.boolean().default(false),
    /** Conversations of the kind `thread` come in and can be answered. */
    threads: z.boolean().default(false),
  }),
  limits: z.strictObject({
    /** Longest text of one message, in `unit`. */
    maxLength: z.int().min(1).default(4000),
    unit: z.enum(['characters', 'utf16', 'bytes']).default('characters'),
    /** Pause between the parts of one answer, in milliseconds. */
    pauseMs: z.int().min(0).default(0),
    /**
     * Sends under way at once where `idempotentSend` or `findSent` is declared; one where neither is. A `findSent` that finds what arrived
     * and cannot tell what certainly did not wants 1: a crash then leaves at most one answer whose fate nobody knows.
     */
    sendsAtOnce: z.int().min(1).default(64),
    /** Longest text beside a file, in `unit`; longer ones go as a message of their own. */
    captionLength: z.int().min(0).default(1000),
    /** Largest file that is fetched, in bytes. */
    fetchBytes: z.int().min(1).default(26_214_400),
    /** Largest file that is sent, in bytes. */
    mediaBytes: z.int().min(1).default(26_214_400),
    /** Buttons below one message. */
    buttons: z.int().min(1).default(10),
    /** How often `typing` is repeated, in milliseconds. */
    typingMs: z.int().min(500).default(4000),
    /** Shortest time between two edits of a message, in milliseconds. */
    editMs: z.int().min(100).default(800),
    /** Silence after which messages that came one after the other are one, in milliseconds; 0 takes each for itself. */
    quietMs: z.int().min(0).default(0),
    /** The same after a message that is nearly as long as the platform allows, because its app cuts longer ones. */
    splitMs: z.int().min(0).default(0),
  }),
  /** How text is marked up on the platform: not at all, in Markdown as it comes, or by the platform from the tree of `OutboundMessage.body`. */
  markup: z.enum(['plain', 'markdown', 'tree']).default('plain'),
  /** Header before every message, unless `reply_prefix` says otherwise: where the bot writes under the name of a person. */
  replyPrefix: z.string().default(''),
  /** Start of the variables of this platform, where it is not its id in capitals. */
  envPrefix: environmentName.optional(),
  /** Variable of the home conversation, where it is not `<prefix>_HOME_CHANNEL`. */
  homeEnv: environmentName.optional(),
  /** Shape of `platforms.<id>.extra`. */
  configSchema: jsonSchema.optional(),
  /** Which names of the plugin's `env` this platform reads; it runs when the required ones are there. */
  env: z.array(environmentName).default([]),
  /** Runs without any configuration, unless it is disabled. */
  onByDefault: z.boolean().default(false),
  /** Said to the model: what suits this platform. */
  promptHint: z.string().optional(),
  /** `on-demand`: silent until somebody calls (webhooks); `continuous`: silence for minutes means a dead connection, which is replaced. */
  reception: z.enum(['continuous', 'on-demand']).default('continuous'),
  /** Longest attempt to connect, in milliseconds. */
  connectTimeoutMs: z.int().min(1000).max(600_000).default(30_000),
  /** Only one connection per credential may exist: names the variable that holds it. */
  singletonLock: environmentName.optional(),
})

const provider = z.strictObject({
  id: name,
  label: z.string(),
  /** A wire protocol that the host speaks. Absent: the provider brings its own `entry`. */
  protocol: z.enum(['openai-chat', 'openai-responses', 'anthropic-messages']).optional(),
  entry: entry.optional(),
  auth: z.enum(['api-key', 'optional-key', 'none']),
  baseUrl: z.string().optional(),
  keyEnv: z.array(environmentName).default([]),
  baseUrlEnv: environmentName.optional(),
  /** On this machine or network; asked for models only by `agent model`, `agent setup` and `agent doctor`. */
  local: z.boolean().default(false),
  defaultModel: z.string().optional(),
  /** Sent with every request. */
  headers: z.record(z.string(), z.string()).default({}),
  /** Deviations from the protocol, as data. */
  quirks: z
    .strictObject({
      maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
      usageInStream: z.boolean().optional(),
      reasoningField: z.enum(['reasoning_effort', 'reasoning', 'none']).optional(),
      promptCache: z.enum(['markers', 'key', 'none']).optional(),
      parallelToolCalls: z.boolean().optional(),
    })
    .default({}),
  configSchema: jsonSchema.optional(),
  docsUrl: z.string().optional(),
})

/** What a tool does to the world. */
export const toolEffects = ['none', 'read', 'write', 'external'] as const

/** What the host checks about an argument before the tool runs. */
const guard = z.strictObject({
  argument: z.string(),
  as: z.enum(['command', 'read-path', 'write-path']),
})

const tool = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  description: z.string(),
  /** JSON Schema of the arguments: an object, closed. */
  parameters: jsonSchema,
  effect: z.enum(toolEffects),
  /** Offered to the model only where a web backend can do this. */
  needsWeb: z.enum(['search', 'extract', 'crawl']).optional(),
  /** May be run again after a crash that lost its result. */
  replaySafe: z.boolean().default(false),
  /** May run beside other calls of the same step. */
  parallel: z.boolean().default(false),
  guards: z.array(guard).default([]),
  /** Longest run in milliseconds; the tool's own `timeout` argument may be shorter. */
  timeoutMs: z.int().min(1).default(300_000),
})

const toolset = z.strictObject({
  id: name,
  entry,
  label: z.string(),
  tools: z.array(tool).min(1),
  configSchema: jsonSchema.optional(),
  /** A block of config.yaml whose keys of the same name are settings of this toolset too. */
  configBlock: z.string().optional(),
  env: z.array(environmentName).default([]),
  onByDefault: z.boolean().default(true),
})

const webBackend = z.strictObject({
  id: name,
  entry,
  label: z.string(),
  /** What is opened has exactly these methods. */
  capabilities: z.strictObject({
    search: z.boolean().default(false),
    extract: z.boolean().default(false),
    crawl: z.boolean().default(false),
  }),
  configSchema: jsonSchema.optional(),
  env: z.array(environmentName).default([]),
})

const hook = z.strictObject({
  name: z.enum(Object.keys(hookKinds) as [HookName, ...HookName[]]),
  /** Compared by the host before any code is loaded: each named field of the event must be one of these. */
  filter: z.record(z.string(), z.array(z.string()).min(1)).default({}),
  /** Shorter than the host's own limit, in milliseconds. */
  budgetMs: z.int().min(1).optional(),
  /** Lower runs earlier. */
  stage: z.int().default(0),
})

const hooks = z.strictObject({
  id: name,
  entry,
  label: z.string(),
  hooks: z.array(hook).min(1),
  configSchema: jsonSchema.optional(),
  env: z.array(environmentName).default([]),
})

/** Such names can be written on every platform. */
const commandName = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/)

const command = z.strictObject({
  /** What is written behind the slash. */
  name: commandName,
  aliases: z.array(commandName).default([]),
  /** How its arguments are written, such as `[city]`; empty when it takes none. */
  args: z.string().max(100).default(''),
  /** What it does, in a few words: shown in lists and menus. */
  summary: z.string().min(1).max(100),
  /** Where it can be given: at the terminal, on platforms. */
  surfaces: z
    .array(z.enum(['cli', 'gateway']))
    .min(1)
    .default(['cli', 'gateway']),
  /** Said to the agent as the message of whoever gave the command; `{args}` stands for the arguments. Absent: the entry runs it. */
  prompt: z.string().min(1).optional(),
})

const commands = z.strictObject({
  id: name,
  /** Runs the commands without a prompt. */
  entry: entry.optional(),
  label: z.string(),
  commands: z.array(command).min(1),
  configSchema: jsonSchema.optional(),
  env: z.array(environmentName).default([]),
})

/** Instructions for the agent: a folder with a SKILL.md. */
const skill = z.strictObject({
  /** The name of the skill. */
  id: name,
  /** Its folder inside the plugin's, which is called as it is. */
  path: z.string().regex(/^(?!\/)(?!.*\.\.)[a-zA-Z0-9._/-]*[a-z0-9-]$/),
})

const env = z.strictObject({
  name: environmentName,
  secret: z.boolean(),
  required: z.boolean(),
  prompt: z.string(),
  url: z.string().optional(),
})

const contributes = z
  .looseObject({
    platforms: z.array(platform).default([]),
    providers: z.array(provider).default([]),
    toolsets: z.array(toolset).default([]),
    webBackends: z.array(webBackend).default([]),
    hooks: z.array(hooks).default([]),
    commands: z.array(commands).default([]),
    skills: z.array(skill).default([]),
  })
  .default({ platforms: [], providers: [], toolsets: [], webBackends: [], hooks: [], commands: [], skills: [] })

/** The one truth about a plugin before its code runs. Unknown top-level keys are kept and warned about by the host. */
export const manifestSchema = z.looseObject({
  $schema: z.string().optional(),
  manifestVersion: z.literal(1),
  id: name,
  name: z.string(),
  description: z.string(),
  version: z.string().regex(/^\d+\.\d+\.\d+/),
  license: z.string(),
  docsUrl: z.string().optional(),
  engines: z.strictObject({ agent: z.string().default('*'), node: z.string().default('>=20.19') }).prefault({}),
  /** Version of each contract that the plugin was written for. */
  api: z.record(z.string(), z.int()),
  contributes,
  configSchema: jsonSchema.optional(),
  env: z.array(env).default([]),
  permissions: z
    .strictObject({
      net: withReason(z.union([z.array(z.string()), z.enum(['none', 'any'])])).optional(),
      fs: withReason(z.strictObject({ read: z.array(z.string()).default([]), write: z.array(z.string()).default([]) })).optional(),
      run: withReason(z.array(z.string())).optional(),
      env: withReason(z.array(z.string())).optional(),
      host: withReason(z.array(z.enum(['turns.run', 'http.listen', 'environment', 'clarify', 'notify', 'skills', 'web']))).optional(),
    })
    .default({}),
  requires: z.array(z.string()).default([]),
  after: z.array(z.string()).default([]),
  conflicts: z.array(z.string()).default([]),
  isolation: z.enum(['inproc', 'process']).default('inproc'),
})

export type Manifest = z.output<typeof manifestSchema>
export type PlatformManifest = z.output<typeof platform>
export type ProviderManifest = z.output<typeof provider>
export type ToolsetManifest = z.output<typeof toolset>
export type WebBackendManifest = z.output<typeof webBackend>
export type HooksManifest = z.output<typeof hooks>
export type CommandsManifest = z.output<typeof commands>
export type SkillManifest = z.output<typeof skill>
export type ToolManifest = z.output<typeof tool>
export type EnvManifest = z.output<typeof env>
/** As written in a file or a definition: fields with a default may be left out. */
export type ManifestInput = z.input<typeof manifestSchema>
export type PlatformManifestInput = z.input<typeof platform>
export type ProviderManifestInput = z.input<typeof provider>
export type ToolManifestInput = z.input<typeof tool>
export type ToolsetManifestInput = z.input<typeof toolset>
export type WebBackendManifestInput = z.input<typeof webBackend>
export type HooksManifestInput = z.input<typeof hooks>
export type CommandsManifestInput = z.input<typeof commands>
