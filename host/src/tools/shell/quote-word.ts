/** One word of a shell, whatever is in it. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
