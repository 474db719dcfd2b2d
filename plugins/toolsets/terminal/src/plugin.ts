import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'

const seconds = z.int().min(1).max(600)

const config = z.strictObject({
  /** Seconds that a command may take when the call names no limit; never more than 600. */
  timeout: z.int().min(1).default(180),
  /** Folder and exported variables carry over from one command to the next. */
  persistent_shell: z.boolean().default(true),
})

export type TerminalConfig = z.output<typeof config>

export default definePlugin({
  id: 'toolset-terminal',
  name: 'Terminal',
  description: 'Runs commands in a shell that keeps its state, and long-running processes beside it.',
  toolsets: {
    terminal: {
      label: 'Terminal',
      config,
      configBlock: 'terminal',
      tools: {
        terminal: {
          description:
            'Run a shell command. Folder and exported variables persist. background starts a process and returns its id for process.',
          parameters: z.strictObject({
            command: z.string().min(1).max(100_000),
            timeout: seconds.describe('seconds, default 180').optional(),
            background: z.boolean().optional(),
            workdir: z.string().min(1).describe('for this command only').optional(),
          }),
          effect: 'external',
          guards: [
            { argument: 'command', as: 'command' },
            { argument: 'workdir', as: 'write-path' },
          ],
          timeoutMs: 620_000,
        },
        process: {
          description:
            'Manage background processes: poll shows new output, log the last lines, write sends data to stdin, submit adds Enter.',
          parameters: z.strictObject({
            action: z.enum(['list', 'poll', 'log', 'wait', 'kill', 'write', 'submit', 'close']),
            process_id: z.string().optional(),
            data: z.string().max(100_000).optional(),
            timeout: seconds.optional(),
            limit: z.int().min(1).max(2000).optional(),
          }),
          effect: 'external',
          guards: [{ argument: 'data', as: 'command' }],
          timeoutMs: 620_000,
        },
      },
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: {
    host: {
      value: ['environment', 'notify'],
      reason: 'Commands run with the environment of the user, without secrets. What becomes of processes in the background is told.',
    },
    fs: { value: { read: ['/'], write: ['/'] }, reason: 'A command starts in any folder; where a shell ended is kept in a temporary one.' },
    run: { value: ['*'], reason: 'Runs the commands that the conversation asks for.' },
  },
})
