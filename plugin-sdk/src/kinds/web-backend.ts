import * as z from 'zod'
import type { Context, ToolContext } from '../contract/context.ts'
import type { WebSource } from '../contract/web.ts'
import type { Call } from '../contract/wire.ts'
import { defineKind } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'

/** Default export of a web backend's entry file. */
export interface WebBackend<C = unknown> {
  open(
    context: Context<C> & {
      /** Where addresses lead, for a backend that fetches pages from here. Needs the host permission `web`. */
      readonly web: Pick<ToolContext['web'], 'resolve'>
    },
    call: Call,
  ): Promise<WebSource>
}

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

/** A web backend, as the manifest has it. */
export type WebBackendManifest = z.output<typeof webBackend>

export const webBackendKind = defineKind({
  spec: webBackend,
  problems: ({ capabilities }, path) =>
    Object.values(capabilities).includes(true)
      ? []
      : [{ path: `${path}.capabilities`, problem: 'declares none: it needs search, extract or crawl' }],
})
