import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'
import { scriptTools } from './interpreter/script-tools.ts'

export const tools = defineTools({
  execute_code: {
    description: `Run a script in Python or JavaScript that calls tools as functions: ${Object.keys(scriptTools).join(', ')}. Good for many calls whose results only the script needs to read: loops, filters, counts. A function takes the arguments of its tool by name (read_file(path='a') in Python, await read_file({path: 'a'}) in JavaScript), gives an object with text and data, and raises an error where the call failed. What the script prints is the answer. Variables, functions and imports live on for the next script of the conversation; reset begins afresh.`,
    parameters: z.strictObject({
      code: z.string().min(1).max(100_000),
      language: z.enum(['python', 'javascript']).default('python'),
      reset: z.boolean().default(false),
    }),
    effect: 'external',
    guards: [
      { argument: 'code', as: 'script' },
      { argument: 'language', as: 'language' },
      { argument: 'reset', as: 'fresh' },
    ],
    timeoutMs: 630_000,
  },
})
