import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

const seconds = z.int().min(1).max(600)

export const tools = defineTools({
  terminal: {
    description:
      'Run a shell command. Folder and exported variables persist; background jobs (&) end with it. background starts a process and returns its id for process.',
    parameters: z.strictObject({
      command: z.string().min(1).max(100_000),
      timeout: seconds.describe('seconds, default 180').optional(),
      background: z.boolean().optional(),
      workdir: z.string().min(1).describe('for this command only').optional(),
      outside: z.boolean().describe('without the sandbox; a person is asked').optional(),
      reason: z.string().max(1000).describe('why outside').optional(),
    }),
    effect: 'external',
    guards: [
      { argument: 'command', as: 'command' },
      { argument: 'workdir', as: 'folder' },
      { argument: 'outside', as: 'outside' },
      { argument: 'reason', as: 'reason' },
    ],
    timeoutMs: 620_000,
  },
  process: {
    description: 'Manage background processes: poll shows new output, log the last lines, write sends data to stdin, submit adds Enter.',
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
})
