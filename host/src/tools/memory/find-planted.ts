import { scanText } from '#kernel/scan-text.ts'

/** What is wrong with an entry that later prompts would hold, in words that follow its name; undefined where nothing was found. */
export function findPlanted(text: string): string | undefined {
  const { hidden, injection } = scanText(text)
  if (hidden > 0) return `holds ${hidden} ${hidden === 1 ? 'character' : 'characters'} that nobody sees`
  return injection && `wants to take over the agent ("${injection.words}")`
}
