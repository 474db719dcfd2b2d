const begin = 'Follow these skills.'

/** What a turn hears that follows skills from its beginning. */
export function formatFollowed(texts: readonly string[]): string {
  return [begin, ...texts].join('\n\n')
}

/** One of these texts. */
export const formatSkill = (name: string, text: string): string => `# ${name}\n\n${text}`

/** The names that may be those of skills in what a turn hears: whether it hears them, their texts tell. */
export function followedIn(instructions: string | undefined): readonly string[] {
  const at = instructions?.indexOf(begin) ?? -1
  return at === -1 ? [] : [...(instructions ?? '').slice(at).matchAll(/^# ([a-zA-Z0-9][\w.-]{0,63})$/gm)].map(([, name = '']) => name)
}
