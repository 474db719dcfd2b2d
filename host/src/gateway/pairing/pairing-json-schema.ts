import * as z from 'zod/mini'
import type { JsonSchema } from '#kernel/schema/schema-check.ts'
import { approvedSchema, limitsSchema, pendingSchema } from './pairing-schema.ts'

const toJson = (schema: z.ZodMiniType): JsonSchema => JSON.parse(JSON.stringify(z.toJSONSchema(schema))) as JsonSchema

/** The files of pairing as data. In what is built this module is only its value: zod is not loaded for it. */
export const pairingJsonSchema = {
  pending: toJson(pendingSchema),
  approved: toJson(approvedSchema),
  limits: toJson(limitsSchema),
}
