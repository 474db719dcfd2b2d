import * as z from 'zod'
import type { ProviderContext } from '../contract/context.ts'
import type { ModelEvent, ModelRequest } from '../contract/model.ts'
import type { Call } from '../contract/wire.ts'
import { defineKind } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'
import { exchange, findLoginProblems, login } from './login.ts'

/** Default export of a provider's entry file. A provider that speaks a known protocol needs no entry: it is a manifest. */
export interface Provider<C = unknown> {
  open(context: ProviderContext<C>, call: Call): Promise<ModelSource>
}

/** A provider that is open. */
export interface ModelSource {
  /** Never rejects and never throws while iterated: a failure is the last event. */
  stream(request: ModelRequest, call: Call): AsyncIterable<ModelEvent>
  /** Ids of the models on offer. Declared by the capability `models`. */
  models?(call: Call): Promise<readonly string[]>
}

const protocol = z.enum(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate', 'bedrock-converse'])

const provider = z.strictObject({
  id: name,
  label: z.string(),
  /** Other names that people know it by; an id wins over them. */
  aliases: z.array(name).default([]),
  /** A wire protocol that the host speaks. Absent: the provider brings its own `entry`. */
  protocol: protocol.optional(),
  /** Models whose names begin so are spoken to in another protocol: the first that fits holds. */
  protocolOfModels: z.array(z.strictObject({ prefix: z.string().min(1), protocol })).default([]),
  entry: entry.optional(),
  /** `login`: a login alone, and no key. `aws`, `google`: a key, or else the account that the vendor's command line uses. */
  auth: z.enum(['api-key', 'optional-key', 'none', 'login', 'aws', 'google']),
  login: login.optional(),
  exchange: exchange.optional(),
  /** `{name}` stands for a variable. */
  baseUrl: z.string().optional(),
  /** Keys that begin so belong to another address of the same vendor. */
  baseUrlOfKeys: z.array(z.strictObject({ prefix: z.string().min(3), baseUrl: z.string() })).default([]),
  /** Variables that may hold the key. Only the first chooses this provider where nobody has chosen one. */
  keyEnv: z.array(environmentName).default([]),
  baseUrlEnv: environmentName.optional(),
  /** What addresses are filled with, and what the protocol reads by name: the first variable that is set. */
  variables: z.array(z.strictObject({ name, env: z.array(environmentName).min(1), default: z.string().optional() })).default([]),
  /** Addresses where a variable has a certain value. */
  baseUrlOfVariables: z.array(z.strictObject({ variable: name, value: z.string(), baseUrl: z.string() })).default([]),
  /** The header that carries the key; absent: the one of the protocol. */
  keyHeader: z.string().optional(),
  /** Where it lists its models, from the root of the address on; absent: the place of the protocol. */
  modelsPath: z.string().regex(/^\//).optional(),
  /** Deviations by the address: the first that its path ends with holds; `/` is an address without a path. */
  addresses: z
    .array(
      z.strictObject({
        ends: z.string().regex(/^\//),
        protocol: protocol.optional(),
        keyHeader: z.string().optional(),
        modelsPath: z.string().regex(/^\//).optional(),
        /** Stands before the path of the protocol; `{model}` is the model. */
        prefix: z.string().regex(/^\//).optional(),
        /** Sent with every request; a query of the address itself wins. */
        query: z.record(z.string(), z.string()).default({}),
      }),
    )
    .default([]),
  /** On this machine or network; asked for models only by `agent model`, `agent setup` and `agent doctor`. */
  local: z.boolean().default(false),
  defaultModel: z.string().optional(),
  /** Sent with every request. */
  headers: z.record(z.string(), z.string()).default({}),
  /** Deviations from the protocol, as data. */
  quirks: z
    .strictObject({
      /** Where the longest answer is told; `none` where the service refuses to be told. */
      maxTokensField: z.enum(['max_tokens', 'max_completion_tokens', 'none']).optional(),
      usageInStream: z.boolean().optional(),
      /** Where the wish for reasoning goes: an effort, an object with it, or an object or a flag that only says whether. */
      reasoningField: z.enum(['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking', 'none']).optional(),
      promptCache: z.enum(['markers', 'key', 'none']).optional(),
      parallelToolCalls: z.boolean().optional(),
      /** False where the service refuses a temperature. */
      temperature: z.boolean().optional(),
      /** Ids of calls have nine letters and digits. */
      callIds: z.enum(['nine']).optional(),
      /** The header that says which conversation a request belongs to, where the service keeps those together. */
      sessionHeader: z.string().optional(),
      /** The request is one part of another, which names the model and the project. */
      envelope: z.enum(['code-assist']).optional(),
      /**
       * Where a server says how many tokens a model takes as it runs there: a path from its root, the list and the field of an entry that names the model
       * where it tells of several, and the way to the number.
       */
      window: z
        .strictObject({ path: z.string().regex(/^\//), list: z.string().optional(), id: z.string().default('id'), field: z.string() })
        .optional(),
      /** Messages go to a path with the model in it, and not in the body, which says the version of the protocol instead. */
      modelInPath: z.strictObject({ path: z.string().regex(/^\/.*\{model\}/), version: z.string() }).optional(),
    })
    .default({}),
  configSchema: jsonSchema.optional(),
  docsUrl: z.string().optional(),
})

/** A provider, as the manifest has it. */
export type ProviderManifest = z.output<typeof provider>

export const providerKind = defineKind({
  spec: provider,
  problems: ({ protocol, entry, auth, login, exchange, baseUrl }, path) => [
    ...((protocol === undefined) === (entry === undefined)
      ? [{ path, problem: 'needs either a protocol that the host speaks or an entry' }]
      : []),
    ...(auth === 'login' && login === undefined ? [{ path, problem: 'needs a login to be logged in by' }] : []),
    // A token goes to the host of `baseUrl` and to no other.
    ...((login || exchange) && baseUrl === undefined ? [{ path, problem: 'needs a baseUrl: a login is for one host' }] : []),
    ...(login ? findLoginProblems(login, `${path}.login`) : []),
  ],
})
