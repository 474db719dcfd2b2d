import * as z from 'zod'

export const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
export const environmentName = z.string().regex(/^[A-Z][A-Z0-9_]*$/)
/** A built file inside the plugin's folder. */
export const entry = z.string().regex(/^(?!.*\.\.)[a-zA-Z0-9._/-]+\.js$/)
/** A JSON Schema object; closed at every level by the build. */
export const jsonSchema = z.record(z.string(), z.unknown())
