import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'

const files = ['agent', 'errors', 'gateway', 'desktop', 'gui'] as const
const levels = ['debug', 'info', 'warn', 'error'] as const

export default definePlugin({
  id: 'panel-logs',
  name: 'Logs',
  description: 'Shows the log files in the dashboard.',
  panels: {
    logs: {
      label: 'Logs',
      group: 'look-after',
      methods: {
        read: {
          input: z.strictObject({
            file: z.enum(files).default('agent'),
            level: z.enum(levels).optional().meta({ title: 'Level and above' }),
            find: z.string().max(200).default(''),
          }),
        },
      },
      pages: [
        {
          id: 'lines',
          title: 'Logs',
          about: 'What the program wrote down, newest first. Secrets are masked.',
          refreshSeconds: 2,
          blocks: [{ type: 'log', from: 'read' }],
        },
      ],
      entry: () => import('./panel.ts'),
    },
  },
  permissions: { host: { value: ['logs'], reason: 'Reads the log files.' } },
})
