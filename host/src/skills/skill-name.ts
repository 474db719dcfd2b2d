/** Whether a skill may be called so, by the rule for its front matter. */
export const isSkillName = (name: unknown): name is string => typeof name === 'string' && /^[a-zA-Z0-9][\w.-]{0,63}$/.test(name)
