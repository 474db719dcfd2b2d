import * as z from 'zod'

const globs = z.array(z.string().min(1))
const texts = z.record(z.string(), z.string())

/** One server of `mcp_servers` in config.yaml; the host has put the values of variables where `${NAME}` stood. */
const serverSettings = z.strictObject({
  /** A program that is started here. */
  command: z.string().min(1).optional(),
  args: z.array(z.string()).default([]),
  env: texts.default({}),
  cwd: z.string().optional(),
  /** Or a server that is asked over HTTP. */
  url: z.string().min(1).optional(),
  headers: texts.default({}),
  /** Absent: streamable HTTP, and SSE where a server knows no better. */
  transport: z.enum(['http', 'sse']).optional(),
  enabled: z.boolean().default(true),
  /** Seconds of one call, and of a start. */
  timeout: z.number().positive().default(300),
  connect_timeout: z.number().positive().default(60),
  tools: z
    .strictObject({
      include: globs.default([]),
      exclude: globs.default([]),
      resources: z.boolean().default(true),
      prompts: z.boolean().default(true),
    })
    .prefault({}),
  /** Which tools are asked about. `untrusted`, `ask`: each. `hints`: each that does not say that it only reads. `full`: none. */
  trust: z.enum(['full', 'hints', 'untrusted', 'ask']).default('untrusted'),
  supports_parallel_tool_calls: z.boolean().default(false),
  /** It may ask the model for `mcp`. */
  sampling: z.boolean().default(false),
  /** Read by agent mcp login; nothing here needs it. */
  oauth: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  /** The host says this of one that a project names: while it is not enabled, a person is asked first. */
  project: z
    .strictObject({
      question: z.string(),
      /** What answers about it and its tools are kept under. */
      rule: z.string(),
    })
    .optional(),
})

export const config = z.strictObject({
  mcp_servers: z.record(z.string(), serverSettings).default({}),
})

export type ServerSettings = z.output<typeof serverSettings>
export type Config = z.output<typeof config>
