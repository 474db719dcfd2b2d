import * as z from 'zod/mini'
import { readHomeLog } from '#rpc/logs/home-logs.ts'
import type { LogLines } from '../api.ts'
import { count, type Router } from '../server/router.ts'

const wanted = z.strictObject({
  file: z.optional(z.enum(['agent', 'errors', 'gateway'])),
  lines: z.optional(count(1, 5000)),
  level: z.optional(z.enum(['', 'debug', 'info', 'warn', 'error'])),
})

/** What the program wrote down. */
export function addLogs(router: Router): void {
  router.add({
    ...{ method: 'GET', url: '/api/logs', takes: wanted },
    answer: async ({ context, input: { file = 'agent', lines = 200, level } }): Promise<LogLines> => {
      const found = await readHomeLog(context, { name: file, count: lines, level: level || undefined })
      return { file, lines: found.lines.map(({ at, level, text }) => ({ at, level, text })) }
    },
  })
}
