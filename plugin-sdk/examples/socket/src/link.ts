import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { linkSignals } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { describeError, type Life } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'
import { createLineReader, formatLine, type Line, parseLine } from './wire.ts'

/** Named in errors. */
export const platform = 'socket-sample'

/** Lines to and from the server, for as long as its life lasts. */
export interface Link {
  write(...line: Line): void
  onLine(listen: (line: Line) => void): void
  /** The first thing that `find` makes of a line; what it throws rejects, as does the end of the connection or of `signal`. */
  until<T>(find: (line: Line) => T | undefined, signal: AbortSignal): Promise<T>
  pause(): void
  resume(): void
}

/** Opens a connection that ends with the life, and ends the life when it breaks. Nobody connects again here: the gateway does. */
export async function openLink({ host, port, ca }: Config, life: Life): Promise<Link> {
  if (ca !== undefined) checkCertificate(ca)
  life.signal.throwIfAborted()
  const socket = connect({ host, port, ca, ...(isIP(host) === 0 && { servername: host }) })
  life.signal.addEventListener('abort', () => socket.destroy(), { once: true })
  try {
    await once(socket, 'secureConnect', { signal: life.signal })
  } catch (error) {
    socket.on('error', () => undefined).destroy()
    throw fail('PLATFORM_UNREACHABLE', { platform, detail: `${host}:${port}: ${describeError(error).detail}` }, { cause: error })
  }
  const listeners = new Set<(line: Line) => void>()
  const write: Link['write'] = (...line) => void socket.write(`${formatLine(line)}\n`)
  const read = createLineReader((text) => {
    if (life.signal.aborted) return
    life.hear()
    const line = parseLine(text)
    if (line[0] === 'PING') write('PONG', ...line.slice(1))
    for (const listen of [...listeners]) listen(line)
  })
  socket.on('error', life.end).on('close', () => life.end(new Error('the server hung up')))
  socket.on('data', (chunk) => {
    try {
      read(chunk)
    } catch (error) {
      life.end(error)
    }
  })
  return {
    write,
    onLine: (listen) => void listeners.add(listen),
    until: async (find, signal) => {
      using given = linkSignals(life.signal, signal)
      return await waitFor(find, listeners, given.signal)
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
  }
}

function waitFor<T>(find: (line: Line) => T | undefined, listeners: Set<(line: Line) => void>, signal: AbortSignal): Promise<T> {
  let leave = (): void => undefined
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason)
    const listen = (line: Line): void => {
      try {
        const found = find(line)
        if (found !== undefined) resolve(found)
      } catch (error) {
        reject(error)
      }
    }
    leave = () => {
      listeners.delete(listen)
      signal.removeEventListener('abort', giveUp)
    }
    listeners.add(listen)
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
  }).finally(() => leave())
}

/** TLS passes over what is no certificate; and it does not become one by trying again. */
function checkCertificate(ca: string): void {
  try {
    new X509Certificate(ca)
  } catch (cause) {
    const problem = `is no certificate in PEM: ${detailOf(cause)}`
    throw fail('CONFIG_INVALID', { file: 'config.yaml', line: 0, key: `platforms.${platform}.extra.ca`, problem }, { cause })
  }
}
