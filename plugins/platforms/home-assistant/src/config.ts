import * as z from 'zod'

/** Shape of `platforms.home-assistant.extra`. Nothing is watched unless it is named. */
export const config = z.strictObject({
  watch_domains: z.array(z.string()).default([]),
  watch_entities: z.array(z.string()).default([]),
  watch_all: z.boolean().default(false),
  /** Beats the three above. */
  ignore_entities: z.array(z.string()).default([]),
  /** After a report of an entity its next changes are left out this long. */
  cooldown_seconds: z.number().min(0).max(86_400).default(30),
})

export type Config = z.output<typeof config>
