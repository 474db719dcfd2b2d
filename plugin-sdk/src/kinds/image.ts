import * as z from 'zod'
import type { Context } from '../contract/context.ts'
import type { ImageSource } from '../contract/image.ts'
import type { Call } from '../contract/wire.ts'
import { defineKind } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'

/** Default export of an image backend's entry file. */
export interface ImageBackend<C = unknown> {
  open(context: Context<C>, call: Call): Promise<ImageSource>
}

const image = z.strictObject({
  id: name,
  entry,
  label: z.string(),
  configSchema: jsonSchema.optional(),
  env: z.array(environmentName).default([]),
})

/** An image backend, as the manifest has it. */
export type ImageManifest = z.output<typeof image>

export const imageKind = defineKind({ spec: image })
