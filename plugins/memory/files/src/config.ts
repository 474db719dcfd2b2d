import * as z from 'zod'

/** Keys of the block `memory` of config.yaml. */
export const config = z.strictObject({
  memory_char_limit: z.int().min(1).default(2200),
  user_char_limit: z.int().min(1).default(1375),
})

export type Config = z.output<typeof config>
