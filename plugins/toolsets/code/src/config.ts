import * as z from 'zod'

export const config = z.strictObject({
  /** Seconds that a script may take. */
  timeout: z.int().min(1).max(600).default(300),
  /** Calls of tools that a script may make. */
  max_tool_calls: z.int().min(1).max(500).default(50),
})

export type CodeConfig = z.output<typeof config>
