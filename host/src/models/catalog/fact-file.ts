import * as z from 'zod/mini'

const count = z.number()
const ratesFields = { input: count, output: count, cacheRead: z.optional(count), cacheWrite: z.optional(count) }
const cost = z.object({ ...ratesFields, long: z.optional(z.object(ratesFields)) })

/** The catalog in the home. */
export const factFile = z.object({
  asOf: z.string(),
  source: z.string(),
  models: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        context: z.optional(count),
        output: z.optional(count),
        input: z.optional(z.array(z.string())),
        isDeprecated: z.optional(z.boolean()),
        cost: z.optional(cost),
      }),
    ),
  ),
})

const publishedRates = {
  ...{ input: z.optional(count), output: z.optional(count) },
  ...{ cache_read: z.optional(count), cache_write: z.optional(count) },
}

/** A catalog as models.dev publishes it; only what is read stands here. */
export const published = z.record(
  z.string(),
  z.object({
    models: z.record(
      z.string(),
      z.object({
        modalities: z.optional(z.object({ input: z.optional(z.array(z.string())) })),
        limit: z.optional(z.object({ context: z.optional(count), output: z.optional(count) })),
        status: z.optional(z.string()),
        cost: z.optional(z.object({ ...publishedRates, context_over_200k: z.optional(z.object(publishedRates)) })),
      }),
    ),
  }),
)
