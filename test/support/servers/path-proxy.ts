import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PathProxy extends AsyncDisposable {
  readonly origin: string
}

/** Shows a server below a path, sockets included; `strips` takes the path away on the way. Everything else is 404 here. */
export async function openPathProxy({ path, strips, target }: { path: string; strips: boolean; target: () => string }): Promise<PathProxy> {
  const asked = ({ url = '', method, headers }: IncomingMessage) => {
    const { hostname, port } = new URL(target())
    const rest = strips ? url.slice(path.length) || '/' : url
    return request({ hostname, port, method, path: rest, headers })
  }
  const isBelow = ({ url = '' }: IncomingMessage): boolean => url.startsWith(path)
  const server = createServer((incoming, response) => {
    if (!isBelow(incoming)) return void response.writeHead(404).end()
    const onward = asked(incoming)
    onward.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)))
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
  })
  server.on('upgrade', (incoming, wire, head) => {
    if (!isBelow(incoming)) return void wire.end('HTTP/1.1 404 Not Found\r\n\r\n')
    const onward = asked(incoming)
    onward.on('error', () => wire.destroy())
    onward.on('upgrade', (answer, socket, first) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`)
      wire.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
      wire.write(first)
      for (const [one, other] of [[wire, socket] as const, [socket, wire] as const]) {
        one.on('error', () => other.destroy())
        one.pipe(other)
      }
    })
    onward.end(head)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
