const words: Readonly<Record<string, boolean>> = { true: true, 1: true, yes: true, on: true, false: false, 0: false, no: false, off: false }

/** Yes or no, as people write it in a variable; undefined for anything else. */
export function parseWord(text: string): boolean | undefined {
  const word = text.trim().toLowerCase()
  return Object.hasOwn(words, word) ? words[word] : undefined
}
