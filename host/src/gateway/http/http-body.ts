import type { IncomingMessage } from 'node:http'

const empty = new Uint8Array(0)

/** Why there is no body: over the limit, given up for newer ones, or the client is gone. */
export type NoBody = 'too large' | 'crowded out' | 'cut'

/** What bodies that are still coming hold together. The one that has come for longest makes room for the others. */
export interface Held {
  /** `giveUp` is called when the body has to go. */
  begin(giveUp: () => void): { add(bytes: number): void; end(): void }
}

export function createHeld(mostBytes: number): Held {
  const bodies = new Map<() => void, number>()
  let total = 0
  return {
    begin: (giveUp) => {
      bodies.set(giveUp, 0)
      const end = (): void => {
        total -= bodies.get(giveUp) ?? 0
        bodies.delete(giveUp)
      }
      return {
        add: (bytes) => {
          total += bytes
          bodies.set(giveUp, (bodies.get(giveUp) ?? 0) + bytes)
          for (const oldest of total > mostBytes ? [...bodies.keys()] : []) {
            if (total <= mostBytes) break
            oldest()
          }
        },
        end,
      }
    },
  }
}

/** True where the head says that the body is over the limit. */
export const isTooLarge = ({ headers }: IncomingMessage, limit: number): boolean => Number(headers['content-length']) > limit

/** The whole body, or why there is none. */
export function readBody(raw: IncomingMessage, limit: number, held?: Held): Promise<Uint8Array | NoBody> | Uint8Array | NoBody {
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers
  if (length === '0' || (length === undefined && encoding === undefined)) return empty
  if (raw.destroyed) return 'cut'
  if (isTooLarge(raw, limit)) return 'too large'
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const place = held?.begin(() => finish('crowded out'))
    raw.on('data', take)
    raw.once('end', () => finish(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    raw.once('close', () => finish('cut'))
    raw.once('error', () => finish('cut'))

    function take(chunk: Buffer): void {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes > limit) finish('too large')
      else place?.add(chunk.length)
    }

    function finish(result: Uint8Array | NoBody): void {
      raw.off('data', take)
      place?.end()
      chunks.length = 0
      resolve(result)
    }
  })
}
