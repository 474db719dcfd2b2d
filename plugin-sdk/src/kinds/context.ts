import * as z from 'zod'
import type { Context } from '../contract/context.ts'
import type { Call } from '../contract/wire.ts'
import type { OpenContextEngine } from './compress/compress.ts'
import { defineKind } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'

/** Default export of a context engine's entry file. */
export interface ContextEngine<C = unknown> {
  open(context: Context<C>, call: Call): Promise<OpenContextEngine>
}

const context = z.strictObject({
  id: name,
  entry,
  label: z.string(),
  configSchema: jsonSchema.optional(),
  env: z.array(environmentName).default([]),
})

/** A context engine, as the manifest has it. */
export type ContextEngineManifest = z.output<typeof context>

export const contextKind = defineKind({ spec: context })
