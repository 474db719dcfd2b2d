import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

export const tools = defineTools({
  cronjob: {
    description:
      'Schedule work: jobs, reminders, cron. create needs prompt and schedule (daily at 9:00, weekdays at 8:30, every 2h, in 30m, a date, or five fields of cron). list shows the jobs; update, pause, resume, run (once, now) and remove need job, an id or a name. context_from names jobs whose last answers a run gets. A run is a new conversation: the prompt has to say everything.',
    parameters: z.strictObject({
      action: z.enum(['create', 'list', 'update', 'pause', 'resume', 'run', 'remove']),
      job: z.string().min(1).max(100).optional(),
      name: z.string().min(1).max(100).optional(),
      prompt: z.string().min(1).max(50_000).optional(),
      schedule: z.string().min(1).max(200).optional(),
      zone: z.string().min(1).max(100).optional(),
      deliver: z.string().min(1).max(1000).optional(),
      skills: z.array(z.string().min(1)).max(5).optional(),
      context_from: z.array(z.string().min(1)).max(5).optional(),
      repeat: z.int().min(1).optional(),
      missed: z.enum(['run', 'skip', 'tell']).optional(),
      paused: z.boolean().optional(),
    }),
    effect: 'write',
  },
})
