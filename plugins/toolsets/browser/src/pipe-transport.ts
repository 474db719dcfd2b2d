import type { Readable, Writable } from 'node:stream'

/** As the library for browsers wants it: messages of JSON, each as a text. */
export interface PipeTransport {
  send(message: string): void
  close(): void
  onmessage?: (message: string) => void
  onclose?: () => void
}

/** A picture of a page is far shorter. */
const longestMessage = 64 * 1024 * 1024

/** Messages that end with a zero byte; `flooded` hears of one that nobody could keep. */
export function createPipeTransport(to: Writable, from: Readable, flooded: () => void): PipeTransport {
  let pieces: Buffer[] = []
  let length = 0
  let open = true
  const transport: PipeTransport = {
    send: (message) => {
      if (open) to.write(`${message}\0`)
    },
    close: () => {
      open = false
    },
  }
  const end = (): void => {
    open = false
    transport.onclose?.()
  }
  from.on('data', (bytes: Buffer) => {
    let rest = bytes
    for (let at = rest.indexOf(0); at !== -1; at = rest.indexOf(0)) {
      const message = Buffer.concat([...pieces, rest.subarray(0, at)]).toString('utf8')
      pieces = []
      length = 0
      rest = rest.subarray(at + 1)
      // Between two messages the library goes on with what the first one has brought.
      setImmediate(() => open && transport.onmessage?.(message))
    }
    pieces.push(rest)
    length += rest.length
    if (length <= longestMessage) return
    pieces = []
    from.destroy()
    flooded()
  })
  from.once('close', end)
  from.on('error', () => undefined)
  to.on('error', () => undefined)
  return transport
}
