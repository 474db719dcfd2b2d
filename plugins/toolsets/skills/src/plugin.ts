import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'

export default definePlugin({
  id: 'toolset-skills',
  name: 'Skills',
  description: 'Lets the agent read the skills of its home and of its plugins.',
  toolsets: {
    skills: {
      label: 'Skills',
      tools: {
        list_skills: {
          description: 'List the skills: instructions for certain kinds of work.',
          parameters: z.strictObject({ category: z.string().optional() }),
          effect: 'read',
          replaySafe: true,
          parallel: true,
        },
        skill_view: {
          description: 'Read a skill, or one of the files that it names.',
          parameters: z.strictObject({ name: z.string().min(1), file: z.string().min(1).optional() }),
          effect: 'read',
          replaySafe: true,
          parallel: true,
        },
      },
      entry: () => import('./toolset.ts'),
    },
  },
  permissions: { host: { value: ['skills'], reason: 'Reads the skills.' } },
})
