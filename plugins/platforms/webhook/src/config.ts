import * as z from 'zod'

const coalesce = z.strictObject({
  /** Template; events for which it gives the same text become one message. */
  key: z.string().min(1),
  /** Silence after which the message is handed in. */
  window_seconds: z.number().min(1).max(3600).default(30),
  /** Longest wait of the first event. */
  max_wait_seconds: z.number().min(1).max(86_400).default(300),
})

const route = z.strictObject({
  /** Kinds of events that are taken; none named takes all. */
  events: z.array(z.string().min(1)).default([]),
  secret: z.string().min(1).optional(),
  /** What the agent is told, with the fields of the payload in braces. */
  prompt: z.string().min(1).optional(),
  /** One condition, or a list of which all have to hold. Their shape is checked by the plugin, because they nest. */
  filters: z.union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))]).optional(),
  /** Where the answer goes: `log`, or a delivery target such as `<platform>:<conversation>`. */
  deliver: z.string().min(1).default('log'),
  /** The text itself is delivered; no model is asked. */
  deliver_only: z.boolean().default(false),
  coalesce: coalesce.optional(),
})

/** Shape of `platforms.webhook.extra`; WEBHOOK_SECRET beats `secret`. */
export const config = z.strictObject({
  secret: z.string().min(1).optional(),
  /** Requests of one route in a minute. */
  rate_limit: z.int().min(1).max(100_000).default(30),
  max_body_bytes: z.int().min(1).max(1_048_576).default(1_048_576),
  routes: z.record(z.string(), route).default({}),
})

export type Config = z.output<typeof config>
export type RouteConfig = z.output<typeof route>
