/** How a skill is typed as a command. Many platforms know no hyphens in commands, so an underscore stands for one. */
export const typedName = (name: string): string => name.toLowerCase().replaceAll(/[_.]/g, '-')

/** Whether a skill may be called so, by the rule for its front matter. */
export const isSkillName = (name: unknown): name is string => typeof name === 'string' && /^[a-zA-Z0-9][\w.-]{0,63}$/.test(name)
