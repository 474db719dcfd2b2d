/** One line of the protocol, taken apart. */
export interface Line {
  /** Who it comes from, `nick!user@host` or the name of a server; empty where the line does not say. */
  readonly source: string
  /** The part of `source` before the `!`. */
  readonly nick: string
  readonly command: string
  readonly params: readonly string[]
}

/** Longest line with its end, in bytes. */
export const lineBytes = 512

/** Undefined for what is no line of the protocol. */
export function parseLine(text: string): Line | undefined {
  const found = /^(?:@\S+ +)?(?::(\S+) +)?([a-z]+|\d{3})(?: +(.*))?$/is.exec(text.replace(/[\r\0]/g, ''))
  if (!found) return undefined
  const [, source = '', command = '', rest = ''] = found
  return { source, nick: source.replace(/!.*/, ''), command: command.toUpperCase(), params: splitParams(rest) }
}

function splitParams(text: string): readonly string[] {
  const colon = ` ${text}`.indexOf(' :')
  const words = (colon < 0 ? text : text.slice(0, colon)).split(' ').filter((word) => word !== '')
  return colon < 0 ? words : [...words, text.slice(colon + 1)]
}

/** A line without its end. What would begin another line is taken out of every part: nobody's text becomes a command. */
export function formatLine(command: string, ...params: readonly string[]): string {
  const clean = params.map((text) => text.replace(/[\r\n\0]+/g, ' '))
  const last = clean.pop()
  if (last === undefined) return command
  const colon = clean.length > 0 || /^$|^:| /.test(last) ? ':' : ''
  return [command, ...clean, colon + last].join(' ')
}

/** True for what can stand between two spaces of a line and names one receiver. */
export function isWord(text: string): boolean {
  return text !== '' && !text.startsWith(':') && !/[\s,\p{Cc}]/u.test(text)
}

export function isChannel(name: string): boolean {
  return /^[#&+!]/.test(name)
}

/** Two names are the same where these are: the lower case of RFC 1459, in which `[ \ ] ^` are the capitals of `{ | } ~`. */
export function foldCase(text: string): string {
  return text.replace(/[A-^]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))
}
