import * as z from 'zod'

export const config = z.strictObject({
  /** Path of a YAML file with a conversation to replay. */
  script: z.string().min(1).optional(),
})
export type OfflineConfig = z.output<typeof config>
