import * as z from 'zod'

/** Shape of `platforms.api-server.extra`; a variable of the same name beats each key. */
export const config = z.strictObject({
  enabled: z.boolean().default(true),
  host: z.string().default('127.0.0.1'),
  /** 0 takes a free port. */
  port: z.int().min(0).max(65_535).default(8642),
  key: z.string().optional(),
  /** Pages of these origins may call; `*` means every page. */
  cors_origins: z.array(z.string()).default([]),
  model_name: z.string().optional(),
  tool_progress: z.enum(['safe', 'comment', 'off']).default('safe'),
  responses: z
    .strictObject({
      /** How a response shows the tools that ran; only as `mcp_call` no client tries to run them itself. */
      tool_items: z.enum(['mcp_call', 'function_call', 'none']).default('mcp_call'),
    })
    .default({ tool_items: 'mcp_call' }),
  show_reasoning: z.boolean().default(false),
  /** How long a body may be, also after it was unpacked. */
  max_body_mb: z.number().min(0.001).max(500).default(10),
  /** 0 means no limit. */
  max_concurrent_runs: z.int().min(0).default(64),
})

export type Config = z.output<typeof config>
