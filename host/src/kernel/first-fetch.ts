import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type Clock, type Context, withTimeLimit } from '@agent/plugin-sdk'

type Fetch = Context['fetch']

/** Whether the parser of `fetch` is compiled beside its first connection, as it is in Node 20 and 22. */
function compilesLate(): boolean {
  return Number(process.versions.undici?.split('.')[0]) < 7
}

/**
 * A fetch whose parser is ready before the first connection. Else a peer that closes at once is not heard, and the first fetch of the
 * process hangs until its time is over.
 */
export function createReadyFetch(fetch: Fetch, prepare: () => Promise<void>): Fetch {
  let ready: Promise<void> | undefined
  return async (url, init) => {
    ready ??= prepare().catch(() => undefined)
    await ready
    return fetch(url, init)
  }
}

const withinMs = 2000

/** Asks a server in this process: its answer shows that the parser is there. */
export async function askOwnServer(fetch: Fetch, clock: Clock, isLate = compilesLate()): Promise<void> {
  if (!isLate) return
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    // The connection stays open until the answer was read.
    socket.once('data', () => socket.write('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'))
  })
  try {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await withTimeLimit({ clock, ms: withinMs, what: 'Asking the own server' }, (signal) => fetch(url, { signal }))
  } finally {
    server.close()
  }
}

const compileMs = 50

/** Where no server can be asked, in a sandbox: loads the client and gives the compiler time. */
export async function waitForCompiler(clock: Clock, isLate = compilesLate()): Promise<void> {
  if (!isLate) return
  new Response()
  await clock.sleep(compileMs)
}
