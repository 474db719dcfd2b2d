import * as z from 'zod'

const program = z
  .strictObject({
    command: z.string().min(1).describe('Its name or path'),
    args: z.array(z.string()).optional().describe('Its arguments'),
    login: z.string().min(1).optional().describe('What a person does to log in; said where the program asks for it'),
  })
  .optional()

/** Programs that speak the Agent Client Protocol, by the provider that each is for. */
export const config = z.strictObject({ acp: program, 'copilot-acp': program, 'claude-code-acp': program })

export type AcpConfig = z.output<typeof config>
