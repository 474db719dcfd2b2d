import * as z from 'zod'

/** Shape of `plugins.entries.hooks-telemetry.config`. */
export const config = z.strictObject({
  /** Address of a collector that takes OTLP over HTTP; `/v1/traces` and `/v1/metrics` are added to it. */
  endpoint: z.url({ protocol: /^https?$/ }).optional(),
  /** Of what is sent; `none` for a collector that does not unpack. */
  compression: z.enum(['gzip', 'none']).default('gzip'),
  service_name: z.string().min(1).default('agent'),
  /** How often the collector is sent what has gathered. */
  interval_seconds: z.int().min(1).max(3600).default(15),
  /** Where a page for Prometheus is served; absent: nowhere. */
  prometheus: z.strictObject({ host: z.string().min(1).default('127.0.0.1'), port: z.int().min(0).max(65_535) }).optional(),
})

export type Config = z.output<typeof config>
