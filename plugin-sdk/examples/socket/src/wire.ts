import { isUtf8 } from 'node:buffer'

/** The command and its words, without their escapes. */
export type Line = readonly string[]

/** In bytes, without its end. */
export const longestLine = 4096

const letters: Readonly<Record<string, string>> = { '\\': '\\', ' ': 's', '\n': 'n', '\r': 'r' }
const signs: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(letters).map(([sign, letter]) => [letter, sign]))

/** Every word is escaped here and nowhere else: no text ends its line or becomes two words. */
export const formatLine = (line: Line): string => line.map((word) => word.replace(/[\\ \n\r]/g, (sign) => `\\${letters[sign]}`)).join(' ')

export const parseLine = (text: string): Line =>
  text.split(' ').map((word) => word.replace(/\\(.)/g, (found, letter: string) => signs[letter] ?? found))

/** Cuts what arrives into lines, which may come in any pieces. Throws where one is too long or is no text: then this is another protocol. */
export function createLineReader(onLine: (text: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  const check = (line: Buffer): Buffer => {
    if (line.length > longestLine) throw new Error(`a line is longer than ${longestLine} bytes`)
    return line
  }
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = check(Buffer.concat([rest, chunk.subarray(start, end)]))
      if (!isUtf8(line)) throw new Error('a line is not UTF-8')
      rest = Buffer.alloc(0)
      start = end + 1
      onLine(line.toString())
    }
    rest = check(Buffer.concat([rest, chunk.subarray(start)]))
  }
}
