import type { IncomingMessage } from 'node:http'
import type { BodyMemory } from '@agent/plugin-sdk/http'
import type { BodyPace } from './body-pace.ts'

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

export interface BodyRules {
  readonly limit: number
  readonly memory: BodyMemory
  readonly held: Held | undefined
  readonly pace: BodyPace
}

/** The whole body, or why there is none. */
export function readBody(
  raw: IncomingMessage,
  { limit, memory, held, pace }: BodyRules,
): Promise<Uint8Array | NoBody> | Uint8Array | NoBody {
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers
  if (length === '0' || (length === undefined && encoding === undefined)) return empty
  if (raw.destroyed) return 'cut'
  if (isTooLarge(raw, limit)) return 'too large'
  return new Promise((resolve) => {
    const gathering = memory.gather(limit)
    const place = held?.begin(() => refuse('crowded out'))
    raw.on('data', take)
    raw.once('end', () => finish(gathering.take()))
    raw.once('close', () => refuse('cut'))
    raw.once('error', () => refuse('cut'))

    function take(piece: Buffer): void {
      const { length: bytes } = piece
      if (gathering.bytes + bytes > limit) refuse('too large')
      else {
        gathering.add(piece)
        place?.add(bytes)
        pace(raw, bytes)
      }
    }

    function refuse(reason: NoBody): void {
      gathering.drop()
      finish(reason)
    }

    function finish(result: Uint8Array | NoBody): void {
      raw.off('data', take)
      place?.end()
      resolve(result)
    }
  })
}
