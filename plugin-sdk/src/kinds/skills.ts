import * as z from 'zod'
import { defineKind } from './contract.ts'
import { name } from './fields.ts'

/** Instructions for the agent: a folder with a SKILL.md. */
const skill = z.strictObject({
  /** The name of the skill. */
  id: name,
  /** Its folder inside the plugin's, which is called as it is. */
  path: z.string().regex(/^(?!\/)(?!.*\.\.)[a-zA-Z0-9._/-]*[a-z0-9-]$/),
})

/** A skill, as the manifest has it. */
export type SkillManifest = z.output<typeof skill>

export const skillsKind = defineKind({
  spec: skill,
  problems: ({ id, path: folder }, path) =>
    folder.split('/').at(-1) === id ? [] : [{ path: `${path}.path`, problem: `is ${folder}, but a skill lies in a folder of its name` }],
})
