import type { Readable } from 'node:stream'

/** A longer line is no call: what a script writes into a file has its place below. */
const longestLine = 10_000_000

export async function* linesOf(link: Readable): AsyncIterable<string> {
  let parts: string[] = []
  let length = 0
  link.setEncoding('utf8')
  for await (const text of link) {
    const [end = '', ...lines] = String(text).split('\n')
    parts.push(end)
    length += end.length
    for (const next of lines) {
      yield parts.join('')
      parts = [next]
      length = next.length
    }
    if (length > longestLine) throw new Error('the script wrote a call without an end')
  }
}
