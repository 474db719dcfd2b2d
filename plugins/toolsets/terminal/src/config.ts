import * as z from 'zod'

export const config = z.strictObject({
  /** Seconds that a command may take when the call names no limit; never more than 600. */
  timeout: z.int().min(1).default(180),
  /** Folder and exported variables carry over from one command to the next. */
  persistent_shell: z.boolean().default(true),
})

export type TerminalConfig = z.output<typeof config>
