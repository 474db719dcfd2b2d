import type { Skills } from '@agent/plugin-sdk'

/** The skills for a plugin that declares them. */
export function limitSkills(skills: Skills, need: () => void): Skills {
  return {
    list: async (wanted) => {
      need()
      return await skills.list(wanted)
    },
    view: async (wanted) => {
      need()
      return await skills.view(wanted)
    },
  }
}
