import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP } from 'node:net'

export interface PinnedRequest {
  readonly url: URL
  /** Addresses that were checked: they are tried one after the other, and nothing is looked up. */
  readonly addresses: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** Asks for a page and answers with its head; the body is read by the caller, until the signal fires. */
export async function requestPage({ url, addresses, headers }: PinnedRequest, signal: AbortSignal): Promise<IncomingMessage> {
  let failure: unknown = new Error('its name leads to no address')
  for (const address of inOrder(addresses)) {
    try {
      return await requestAt(address, { url, headers }, signal)
    } catch (error) {
      failure = error
      signal.throwIfAborted()
    }
  }
  throw failure
}

/** Many a machine has no way to the addresses of version 6 that it knows. */
function inOrder(addresses: readonly string[]): readonly string[] {
  return [...addresses].sort((a, b) => isIP(a) - isIP(b))
}

function requestAt(address: string, { url, headers }: Omit<PinnedRequest, 'addresses'>, signal: AbortSignal): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:'
  const name = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((answered, failed) => {
    const send = isSecure ? requestSecure : requestPlain
    send({
      ...{ host: address, port: url.port, path: `${url.pathname}${url.search}` },
      ...{ headers: { ...headers, host: url.host }, agent: false, signal },
      // The certificate is that of the name, and not of the address.
      ...(isSecure && isIP(name) === 0 && { servername: name }),
    })
      .once('response', answered)
      .once('upgrade', (_answer, socket) => {
        socket.destroy()
        failed(new Error('it wants to speak another protocol'))
      })
      .once('error', failed)
      .end()
  })
}
