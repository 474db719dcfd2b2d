import type { Skills } from '@agent/plugin-sdk'

/** The skills for a plugin that declares them. */
export function limitSkills(skills: Skills, need: () => void): Skills {
  return {
    list: async () => {
      need()
      return skills.list()
    },
    view: async (wanted) => {
      need()
      return skills.view(wanted)
    },
  }
}
