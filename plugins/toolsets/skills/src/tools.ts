import { defineTools } from '@agent/plugin-sdk'
import * as z from 'zod'

export const tools = defineTools({
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
})
