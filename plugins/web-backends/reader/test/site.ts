import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a path answers: a page of HTML, or whatever a server may do. */
export type Answer = string | ((response: ServerResponse, request: IncomingMessage) => void)

export interface Site extends AsyncDisposable {
  readonly port: number
  /** Its address under a name; what resolves names in the tests says where that leads. */
  at(host: string): string
  /** Paths in the order in which they were asked. */
  readonly asked: readonly string[]
  /** The headers of the last request. */
  headers(): IncomingMessage['headers']
}

/** A site on loopback; what it does not have is answered 404. */
export async function openSite(pages: Readonly<Record<string, Answer>>): Promise<Site> {
  const asked: string[] = []
  let last: IncomingMessage['headers'] = {}
  const server = createServer((request, response) => {
    const { url = '/', headers } = request
    asked.push(url)
    last = headers
    const answer = pages[url]
    if (answer === undefined) response.writeHead(404).end('none')
    else if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(answer)
    else answer(response, request)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    port,
    asked,
    at: (host) => `http://${host}:${port}`,
    headers: () => last,
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
