import * as z from 'zod/mini'

const text = z.string().check(z.minLength(1))
const texts = z.optional(z.record(z.string(), z.string()))
const globs = z.optional(z.array(text))
const flag = z.optional(z.boolean())
const seconds = z.optional(z.number().check(z.positive()))

/** Part of the names of its tools. */
export const mcpServerName = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/))

/** `mcp_servers.<name>`: a program that is started here, or a server that is asked over HTTP. */
export const mcpServerSchema = z.strictObject({
  command: z.optional(text),
  args: z.optional(z.array(z.string())),
  /** All that it gets of the environment, beside PATH, HOME and the like. */
  env: texts,
  cwd: z.optional(text),
  url: z.optional(z.string().check(z.regex(/^https?:\/\//, 'an address that begins with http:// or https://'))),
  headers: texts,
  /** Absent: streamable HTTP, and SSE where a server knows no better. */
  transport: z.optional(z.enum(['http', 'sse'])),
  enabled: flag,
  /** Seconds of one call, and of a start. */
  timeout: seconds,
  connect_timeout: seconds,
  /** Globs over the names of its tools; `include` wins. */
  tools: z.optional(z.strictObject({ include: globs, exclude: globs, resources: flag, prompts: flag })),
  /** Which tools are asked about. `untrusted`, `ask`: each. `hints`: each that does not say that it only reads. `full`: none. */
  trust: z.optional(z.enum(['full', 'hints', 'untrusted', 'ask'])),
  supports_parallel_tool_calls: flag,
  /** It may ask the model of `auxiliary.mcp`, which costs. */
  sampling: flag,
  /** For agent mcp login: a client that a person has made there, or an address that describes one, and what the login is for. */
  oauth: z.optional(
    z.strictObject({
      client_id: z.optional(text),
      client_secret: z.optional(text),
      /** Who gives the logins; the secret is sent to nobody else. */
      issuer: z.optional(z.string().check(z.regex(/^https?:\/\//, 'an address that begins with http:// or https://'))),
      scope: z.optional(text),
      redirect_port: z.optional(z.int().check(z.minimum(1), z.maximum(65_535))),
    }),
  ),
})
