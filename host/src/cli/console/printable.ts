import { stripVTControlCharacters } from 'node:util'

/** Strangers choose their names: what could steer a terminal is taken out. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{C}/gu, '')
}
