import * as z from 'zod'
import { environmentName, jsonSchema, name } from './fields.ts'
import { type ContractKind, contractKinds, contracts, kinds, type ListOf } from './kinds.ts'

const withReason = <T extends z.ZodType>(value: T) => z.strictObject({ value, reason: z.string().min(1) })

const env = z.strictObject({
  name: environmentName,
  secret: z.boolean(),
  required: z.boolean(),
  prompt: z.string(),
  /** What it must hold, where not every text will do; a list names the words. 0 stands for any free port to listen on. */
  value: z.union([z.enum(['switch', 'port', 'listen-port', 'number', 'address']), z.array(z.string()).min(1)]).optional(),
  /** What a text looks like that may be right, or each of several with commas between them; set-up asks again about another one. */
  form: z.strictObject({ pattern: z.string().max(200).refine(isPattern), like: z.string() }).optional(),
  url: z.string().optional(),
})

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) !== undefined
  } catch {
    return false
  }
}

type Shape = { [Kind in ContractKind as ListOf<Kind>]: z.ZodDefault<z.ZodArray<(typeof contracts)[Kind]['spec']>> }

const lists = Object.fromEntries(
  contractKinds.map((kind) => [kinds[kind].list, z.array(contracts[kind].spec).default([])]),
) as unknown as Shape
const none = Object.fromEntries(contractKinds.map((kind) => [kinds[kind].list, []])) as unknown as z.output<z.ZodObject<Shape>>
const contributes = z.looseObject(lists).default(none)

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
      host: withReason(
        z.array(
          z.enum([
            'turns.run',
            'http.listen',
            'environment',
            'clarify',
            'notify',
            'sandbox',
            'skills',
            'skills.write',
            'skills.install',
            'skills.approve',
            'mcp',
            'logs',
            'logins',
            'toolsets',
            'web',
            'images',
            'models',
            'memory',
            'memory.approve',
            'conversations',
            'sessions',
            'agents.run',
            'agents',
            'jobs',
            'checkpoints',
            'tools.call',
          ]),
        ),
      ).optional(),
    })
    .default({}),
  requires: z.array(z.string()).default([]),
  after: z.array(z.string()).default([]),
  conflicts: z.array(z.string()).default([]),
  isolation: z.enum(['inproc', 'process']).default('inproc'),
})

/** What `agent.plugin.json` says, with its defaults filled in. */
export type Manifest = z.output<typeof manifestSchema>
/** A variable that a plugin reads, as the manifest has it. */
export type EnvManifest = z.output<typeof env>
/** As written in a file or a definition: fields with a default may be left out. */
export type ManifestInput = z.input<typeof manifestSchema>
