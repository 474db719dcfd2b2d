/** Words separated by spaces, each of them whole; a pattern where there are too many forms. */
export type Names = string | RegExp

export const isAmong = (names: Names, word: string): boolean =>
  typeof names === 'string' ? names.split(' ').includes(word) : names.test(word)
