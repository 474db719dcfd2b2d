import * as z from 'zod'

const version = z.string().regex(/^\d+\.\d+\.\d+$/)
const served = { since: version, until: version }

export const deprecationsSchema = z.strictObject({
  /** Exported names, or members of them: `openServer`, `PlatformContext.then`. The tag `@deprecated` of its comment says the same. */
  names: z.array(z.strictObject({ name: z.string(), ...served, use: z.string() })),
  /** Fields of a manifest: `permissions.run`, `platforms.*.limits.maxLength`. */
  fields: z.array(z.strictObject({ field: z.string(), ...served, use: z.string() })),
  contracts: z.array(z.strictObject({ contract: z.string(), version: z.int(), ...served, use: z.string() })),
})
