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

const longestFile = 65_536

export const writingTools = defineTools({
  skill_manage: {
    description:
      'Make, change or delete skills, after hard work that will come again, or when a skill turned out to be wrong. create takes name, content (the whole SKILL.md: frontmatter with name and description between lines of ---, then instructions) and category; edit replaces the SKILL.md by content; patch replaces old_string, which stands once, by new_string in file_path or the SKILL.md; write_file and remove_file take file_path, as references/format.md. A person may have to approve.',
    parameters: z.strictObject({
      action: z.enum(['create', 'edit', 'patch', 'write_file', 'remove_file', 'delete']),
      name: z.string().min(1).max(64),
      content: z.string().max(longestFile).optional(),
      category: z.string().min(1).max(64).optional(),
      old_string: z.string().max(longestFile).optional(),
      new_string: z.string().max(longestFile).optional(),
      file_path: z.string().min(1).max(500).optional(),
      file_content: z.string().max(longestFile).optional(),
    }),
    effect: 'none',
  },
})
