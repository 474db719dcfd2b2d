import * as z from 'zod/mini'
import { configSchema } from './schema.ts'

/** JSON Schema of config.yaml, for a quick check, for editors and for the reference page. In what is built this module is only its value: zod is not loaded for it. */
export const configJsonSchema = JSON.parse(JSON.stringify(z.toJSONSchema(configSchema, { target: 'draft-7' }))) as Readonly<
  Record<string, unknown>
>
