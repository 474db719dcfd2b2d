import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'

const words = z.string().min(1).max(4000)
const wish = {
  prompt: words.meta({ title: 'What the agent is to do' }),
  schedule: z
    .string()
    .min(1)
    .max(200)
    .meta({ title: 'When', description: 'daily at 9:00, every 30m, in 2h, a date, or five fields of cron' }),
  deliver: z
    .string()
    .max(200)
    .default('local')
    .meta({ title: 'Answer to', description: 'local: it is only kept; all, a platform, or PLATFORM:CONVERSATION' }),
}

export default definePlugin({
  id: 'panel-jobs',
  name: 'Jobs',
  description: 'Shows jobs in the dashboard: what is due, what was run, and how a job is made and changed.',
  panels: {
    jobs: {
      label: 'Jobs',
      group: 'look-after',
      methods: {
        jobs: {},
        job: {},
        due: {},
        runs: {},
        given: {},
        add: { changes: true, input: z.strictObject({ name: z.string().max(100).optional().meta({ title: 'Name' }), ...wish }) },
        change: { changes: true, input: z.strictObject(wish) },
        run: { changes: true },
        pause: { changes: true },
        resume: { changes: true },
        remove: { changes: true },
      },
      pages: [
        {
          id: 'all',
          title: 'Jobs',
          about: 'Work that the agent does at a time. The gateway runs it.',
          refreshSeconds: 10,
          blocks: [
            {
              type: 'table',
              from: 'jobs',
              key: 'id',
              opens: 'job',
              empty: 'There is no job yet. The form below makes one, and so does the agent when somebody asks for it.',
              fields: [
                { key: 'name', label: 'Job' },
                { key: 'state', label: 'State', as: 'badge', tones: { scheduled: 'ok', paused: 'warn' } },
                { key: 'schedule', label: 'When' },
                { key: 'nextAt', label: 'Next', as: 'time' },
                { key: 'deliver', label: 'Answer to' },
              ],
              actions: [
                { method: 'run', label: 'Run' },
                { method: 'pause', label: 'Pause', when: 'isScheduled' },
                { method: 'resume', label: 'Resume', when: 'isPaused' },
              ],
            },
            { type: 'calendar', title: 'The next two weeks', from: 'due' },
            {
              type: 'table',
              title: 'What was run',
              from: 'runs',
              empty: 'Nothing was run yet.',
              fields: [
                { key: 'at', label: 'When', as: 'time' },
                { key: 'name', label: 'Job' },
                { key: 'state', label: 'What came of it' },
                { key: 'text', label: 'Answer' },
              ],
            },
            { type: 'form', title: 'A new job', submit: 'add', label: 'Make the job' },
          ],
        },
        {
          id: 'job',
          title: 'Job',
          blocks: [
            {
              type: 'detail',
              from: 'job',
              fields: [
                { key: 'name', label: 'Name' },
                { key: 'state', label: 'State', as: 'badge', tones: { scheduled: 'ok', paused: 'warn' } },
                { key: 'prompt', label: 'What the agent is to do' },
                { key: 'schedule', label: 'When' },
                { key: 'nextAt', label: 'Next', as: 'time' },
                { key: 'deliver', label: 'Answer to' },
                { key: 'skills', label: 'Skills', as: 'code' },
                { key: 'id', label: 'Id', as: 'code' },
              ],
              actions: [
                { method: 'run', label: 'Run' },
                { method: 'pause', label: 'Pause', when: 'isScheduled' },
                { method: 'resume', label: 'Resume', when: 'isPaused' },
                { method: 'remove', label: 'Remove', confirm: 'Its history goes too.' },
              ],
            },
            {
              type: 'table',
              title: 'What was run',
              from: 'runs',
              empty: 'It was not run yet.',
              fields: [
                { key: 'at', label: 'When', as: 'time' },
                { key: 'state', label: 'What came of it' },
                { key: 'text', label: 'Answer' },
              ],
            },
            { type: 'form', title: 'Change it', submit: 'change', from: 'given', label: 'Save' },
          ],
        },
      ],
      entry: () => import('./panel.ts'),
    },
  },
  permissions: { host: { value: ['jobs'], reason: 'Lists jobs and their runs, and makes and changes jobs.' } },
})
