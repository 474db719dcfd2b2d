import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'

const text = z.string().min(1).max(4000).meta({ title: 'Entry' })

export default definePlugin({
  id: 'panel-memory',
  name: 'Memory',
  description: 'Shows in the dashboard what the agent remembers, and the changes that wait.',
  panels: {
    memory: {
      label: 'Memory',
      group: 'look-after',
      methods: {
        entries: {},
        entry: {},
        given: {},
        use: {},
        add: {
          changes: true,
          input: z.strictObject({
            text,
            target: z
              .enum(['user', 'memory'])
              .default('user')
              .meta({ title: 'Where', description: 'user: about you; memory: what the agent notes for itself.' }),
          }),
        },
        change: { changes: true, input: z.strictObject({ text }) },
        remove: { changes: true },
        waiting: {},
        approve: { changes: true },
        reject: { changes: true },
      },
      pages: [
        {
          id: 'all',
          title: 'Memory',
          about: 'What the agent knows of you when a conversation begins.',
          blocks: [
            {
              type: 'table',
              from: 'entries',
              key: 'id',
              opens: 'entry',
              empty: 'Nothing is remembered yet.',
              fields: [
                { key: 'text', label: 'Entry' },
                { key: 'target', label: 'Where', as: 'badge' },
              ],
            },
            {
              type: 'table',
              title: 'How full it is',
              from: 'use',
              empty: 'Nothing may be remembered: memory is off in the settings.',
              fields: [
                { key: 'target', label: 'Where', as: 'badge' },
                { key: 'used', label: 'Characters' },
              ],
            },
            {
              type: 'table',
              title: 'What waits for you',
              from: 'waiting',
              key: 'id',
              empty: 'No change waits.',
              fields: [
                { key: 'change', label: 'Change' },
                { key: 'for', label: 'Of' },
                { key: 'at', label: 'Since', as: 'time' },
              ],
              actions: [
                { method: 'approve', label: 'Make it' },
                { method: 'reject', label: 'Drop it', confirm: 'The change is forgotten.' },
              ],
            },
            { type: 'form', title: 'Remember something', submit: 'add', label: 'Remember' },
          ],
        },
        {
          id: 'entry',
          title: 'Entry',
          blocks: [
            {
              type: 'detail',
              from: 'entry',
              fields: [
                { key: 'text', label: 'Entry' },
                { key: 'target', label: 'Where', as: 'badge' },
              ],
              actions: [{ method: 'remove', label: 'Forget', confirm: 'The agent forgets it.' }],
            },
            { type: 'form', title: 'Change it', submit: 'change', from: 'given', label: 'Save' },
          ],
        },
      ],
      entry: () => import('./panel.ts'),
    },
  },
  permissions: {
    host: {
      value: ['memory', 'memory.approve'],
      reason: 'Shows and changes what is remembered of you, and makes or drops changes that wait, of everybody, when you say so.',
    },
  },
})
