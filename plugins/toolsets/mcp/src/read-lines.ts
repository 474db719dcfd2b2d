/** A line longer than this is no message: it would take the memory of everybody. */
export const longestLine = 16 * 1024 * 1024
/** A server that says so much without an answer in between floods. */
const mostUnanswered = 64 * 1024 * 1024

export interface LineReader {
  /** Undefined as long as all is well; else what the server did, a sentence without its subject. */
  push(bytes: Uint8Array): string | undefined
  /** An answer has come. */
  answered(): void
}

/** Cuts what a server writes into lines, and says when it writes too much. */
export function createLineReader(onLine: (line: string) => void): LineReader {
  let waiting: Uint8Array[] = []
  let size = 0
  let unanswered = 0
  return {
    push(bytes) {
      unanswered += bytes.length
      if (unanswered > mostUnanswered) return `wrote ${mostUnanswered / 1024 / 1024} MiB without an answer`
      let from = 0
      for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
        const line = Buffer.concat([...waiting, bytes.subarray(from, end)]).toString('utf8')
        waiting = []
        size = 0
        from = end + 1
        if (line.trim() !== '') onLine(line)
      }
      const rest = bytes.subarray(from)
      size += rest.length
      if (size > longestLine) return `wrote a message longer than ${longestLine / 1024 / 1024} MiB`
      if (rest.length > 0) waiting.push(rest)
      return undefined
    },
    answered() {
      unanswered = 0
    },
  }
}
