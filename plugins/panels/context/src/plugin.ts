import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'

export default definePlugin({
  id: 'panel-context',
  name: 'Context',
  description: 'Shows in the dashboard how long conversations are for the model, and what it hears of them.',
  panels: {
    context: {
      label: 'Context',
      group: 'look-after',
      methods: {
        conversations: {},
        conversation: {},
        parts: {},
        compressions: {},
        notes: {},
        prompt: {},
        shorten: {
          changes: true,
          input: z.strictObject({
            keep: z.string().max(1000).default('').meta({ title: 'What to keep', description: 'Above all; may be empty.' }),
          }),
        },
      },
      pages: [
        {
          id: 'all',
          title: 'Context',
          about: 'How much of the window of the model that answers now each conversation takes.',
          blocks: [
            {
              type: 'table',
              from: 'conversations',
              key: 'session',
              opens: 'one',
              empty: 'There are no conversations yet.',
              fields: [
                { key: 'title', label: 'Conversation' },
                { key: 'source', label: 'From', as: 'badge' },
                { key: 'fills', label: 'Tokens' },
                { key: 'shorter', label: 'Made shorter' },
                { key: 'lastAt', label: 'Last used', as: 'time' },
              ],
            },
          ],
        },
        {
          id: 'one',
          title: 'Conversation',
          blocks: [
            {
              type: 'detail',
              from: 'conversation',
              fields: [
                { key: 'title', label: 'Conversation' },
                { key: 'messages', label: 'Messages', as: 'number' },
                { key: 'fills', label: 'Tokens' },
                { key: 'limit', label: 'Made shorter from' },
              ],
            },
            { type: 'chart', title: 'What its next request is made of', from: 'parts', label: 'Size', unit: 'tokens' },
            {
              type: 'table',
              title: 'When it was made shorter',
              from: 'compressions',
              empty: 'It was never made shorter.',
              fields: [
                { key: 'at', label: 'When', as: 'time' },
                { key: 'why', label: 'Why' },
                { key: 'before', label: 'Tokens before', as: 'number' },
                { key: 'after', label: 'After', as: 'number' },
              ],
            },
            { type: 'form', title: 'Make it shorter now', submit: 'shorten', label: 'Make it shorter' },
            { type: 'markdown', title: 'Notes in place of its older part', from: 'notes' },
            { type: 'markdown', title: 'The prompt', from: 'prompt' },
          ],
        },
      ],
      entry: () => import('./panel.ts'),
    },
  },
  permissions: {
    host: {
      value: ['conversations'],
      reason: 'Shows how long the conversations of everybody are and what the model hears of them, and makes one shorter when you say so.',
    },
  },
})
