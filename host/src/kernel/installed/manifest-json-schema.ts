import { createHash } from 'node:crypto'
import { manifestSchema } from '@agent/plugin-sdk'
import * as z from 'zod'
import type { JsonSchema } from '../schema/schema-check.ts'

/** The schema of a manifest as data. In what is built this module is only its value: zod is not loaded for it. */
export const manifestJsonSchema = JSON.parse(JSON.stringify(z.toJSONSchema(manifestSchema, { io: 'input' }))) as JsonSchema

/** Tells this schema from that of another version. */
export const manifestSchemaPrint = createHash('sha256').update(JSON.stringify(manifestJsonSchema)).digest('hex')
