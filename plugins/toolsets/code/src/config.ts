import * as z from 'zod'

export const config = z.strictObject({
  /** Seconds that a script may take. */
  timeout: z.int().min(1).max(600).default(300),
  /** Calls of tools that a script may make. */
  max_tool_calls: z.int().min(1).max(500).default(50),
  /** Seconds after which an interpreter ends that nobody uses. */
  kernel_idle_timeout: z.int().min(1).max(86_400).default(1800),
  /** Interpreters that are kept, of all conversations together. */
  max_session_kernels: z.int().min(1).max(64).default(4),
})

export type CodeConfig = z.output<typeof config>
