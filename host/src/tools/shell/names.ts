/** Words separated by spaces, each of them whole; a pattern where there are too many forms. */
export type Names = string | RegExp

/** Most words are in no part of a list, so it is rarely taken apart. */
export const isAmong = (names: Names, word: string): boolean =>
  typeof names === 'string' ? names.includes(word) && names.split(' ').includes(word) : names.test(word)
