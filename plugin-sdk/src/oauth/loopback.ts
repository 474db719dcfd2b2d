import { once } from 'node:events'
import { createServer } from 'node:http'
import { detailOf, fail } from '../contract/errors.ts'

interface LoopbackOptions {
  readonly host?: '127.0.0.1' | 'localhost'
  /** 0 or absent: any free one. */
  readonly port?: number
  readonly path: string
  /** What is logged in to. */
  readonly name: string
  readonly state: string
  /** Only an answer that brings the state back counts. */
  readonly strict: boolean
}

/** A port of this machine that a browser is sent to when the person has agreed. */
export interface Loopback extends AsyncDisposable {
  readonly address: string
  readonly listens: boolean
  /** Why it does not listen. */
  readonly problem: string | undefined
  wait(signal: AbortSignal): Promise<URLSearchParams>
}

export async function openLoopback({ host = '127.0.0.1', port = 0, path, name, state, strict }: LoopbackOptions): Promise<Loopback> {
  let arrive: (found: URLSearchParams) => void = () => undefined
  const arrived = new Promise<URLSearchParams>((resolve) => {
    arrive = resolve
  })
  const server = createServer((request, response) => {
    const { pathname, searchParams } = addressOf(request.url)
    const isAnswer = pathname === path && (searchParams.has('code') || searchParams.has('error'))
    // Any page can send a browser here: what does not bring our state back is passed over.
    const isOurs = isAnswer && (!strict || searchParams.get('state') === state)
    response.writeHead(isOurs ? 200 : pathname === path ? 400 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end(isOurs ? `agent has taken the answer of ${name}. You may close this window.\n` : 'This is no answer to a login.\n')
    if (isOurs) arrive(searchParams)
  })
  const problem = await listen(server, port)
  const address = server.address()
  const taken = typeof address === 'object' && address !== null ? address.port : port
  return {
    address: `http://${host}:${taken}${path}`,
    listens: problem === undefined,
    problem,
    wait: (signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        arrived.then(resolve, reject)
      }),
    async [Symbol.asyncDispose]() {
      if (problem !== undefined) return
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      await closed
    },
  }
}

/** The address that is asked for; what cannot be one leads to no page. */
function addressOf(path = '/'): URL {
  const address = `http://loopback${path}`
  return new URL(URL.canParse(address) ? address : 'http://loopback//')
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<string | undefined> {
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return undefined
  } catch (error) {
    if (port === 0) throw fail('LOGIN_FAILED', { provider: 'this machine', detail: detailOf(error) }, { cause: error })
    return `port ${port} of this machine is taken`
  }
}
