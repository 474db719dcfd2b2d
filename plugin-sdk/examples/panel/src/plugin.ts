import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'
import { config } from './config.ts'

export default definePlugin({
  id: 'panel-sample',
  name: 'Sample',
  description: 'Shows a shopping list in the dashboard.',
  panels: {
    sample: {
      label: 'Shopping list',
      config,
      methods: {
        list: { input: z.strictObject({ find: z.string().max(200).default('') }) },
        add: { changes: true, input: z.strictObject({ thing: z.string().min(1).max(200).describe('Such as: brown bread') }) },
        remove: { changes: true },
      },
      pages: [
        {
          id: 'list',
          title: 'Shopping list',
          about: 'What is to be bought.',
          blocks: [
            { type: 'form', submit: 'add', label: 'Put it on the list' },
            {
              type: 'table',
              from: 'list',
              key: 'thing',
              empty: 'The list is empty.',
              fields: [
                { key: 'thing', label: 'Thing' },
                { key: 'at', label: 'Since', as: 'time' },
              ],
              actions: [{ method: 'remove', label: 'Bought', confirm: 'Take it off the list?' }],
            },
          ],
        },
      ],
      entry: () => import('./panel.ts'),
    },
  },
})
