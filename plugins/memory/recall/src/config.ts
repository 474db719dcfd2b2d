import * as z from 'zod'

export const config = z.strictObject({
  /** How many hits a question gets at most. */
  most: z.int().min(1).max(20).default(8),
  /** After so many days a hit counts half as much as one of today; 0: its age does not matter. */
  half_life_days: z.number().min(0).default(90),
})

export type Config = z.output<typeof config>
