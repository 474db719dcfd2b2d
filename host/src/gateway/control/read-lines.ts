import { fail } from '@agent/plugin-sdk/errors'

/** The lines of a stream; rejects with CONTROL_REQUEST where one is longer than it may be. */
export async function* readLines(stream: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<string> {
  let pieces: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    let rest = chunk
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      requireShort(size + end, mostBytes)
      yield Buffer.concat([...pieces, rest.subarray(0, end)]).toString('utf8')
      pieces = []
      size = 0
      rest = rest.subarray(end + 1)
    }
    size += rest.length
    requireShort(size, mostBytes)
    pieces.push(rest)
  }
}

function requireShort(bytes: number, most: number): void {
  if (bytes > most) throw fail('CONTROL_REQUEST', { problem: `a line is longer than ${most} bytes` })
}
