import type { PlatformContext } from '@agent/plugin-sdk'
import { withTimeLimit } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { type Api, formatPath, platform } from './api.ts'
import type { Config } from './config.ts'
import type { Content } from './content.ts'
import type { Changes, Machine } from './encryption/machine.ts'
import type { Rooms } from './rooms.ts'
import type { RoomEvent, Sync } from './wire.ts'

/** Encryption of rooms. Its library is loaded when the first encrypted room is met. */
export interface Seals {
  /** An encrypted room is there or about to be: from now on others can write to us. */
  meet(room?: string): Promise<void>
  /** False where messages cannot be opened at all. */
  readonly isAble: () => boolean
  isEncrypted(room: string): Promise<boolean>
  /** What the server tells of devices and keys: kept before the place in the stream is. */
  receive(reply: Sync): Promise<void>
  /** As it was said; undefined where its key is not there. */
  open(room: string, event: RoomEvent): Promise<RoomEvent | undefined>
  /** As it goes out: in an encrypted room never in the clear. */
  seal(room: string, type: string, content: Content): Promise<{ readonly type: string; readonly content: Content }>
  close(): Promise<void>
}

interface Owner {
  readonly api: Api
  readonly context: PlatformContext<Config>
  readonly signal: AbortSignal
  readonly user: string
  /** Absent for accounts without devices. */
  readonly device: string | undefined
  readonly rooms: Rooms
}

const askMs = 30_000
const remedy = 'it has to log in as a new device: take another MATRIX_ACCESS_TOKEN, or another MATRIX_DEVICE_ID'

export function createSeals({ api, context, signal, user, device = '', rooms }: Owner): Seals {
  const { state, log, clock } = context
  const key = `encrypted:${user}`
  let opening: Promise<Machine | undefined> | undefined
  let machine: Machine | undefined

  const ask = (method: 'POST' | 'PUT', path: readonly string[], body: object): Promise<string> =>
    withTimeLimit({ clock, signal, ms: askMs, what: 'the answer of the server about keys' }, async (bounded) =>
      (await api.fetch(formatPath(...path), { method, body, signal: bounded })).text(),
    )
  const load = async (): Promise<Machine | undefined> => {
    await state.set(key, true)
    try {
      const { openMachine } = await import('./encryption/machine.ts')
      machine = device === '' ? undefined : await openMachine({ state, user, device, log, ask, members: rooms.members })
      if (machine) log.info('encrypted rooms can be read', { user, device })
      else log.error(`the keys of this device are lost, so encrypted rooms stay closed to it; ${remedy}`, { device })
    } catch (error) {
      if (!isAgentError(error, 'SEND_REFUSED')) throw error
      log.error(`the server does not take the keys of this device, so encrypted rooms stay closed to it; ${remedy}`, {
        ...{ device, reason: String(error) },
      })
    }
    return machine
  }
  const get = (): Promise<Machine | undefined> => {
    opening ??= load()
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }
  const isEncrypted = async (room: string): Promise<boolean> => {
    // A room stays encrypted, whatever the server says later.
    if ((await state.get(`${key}:${room}`)) === true) return true
    if (!(await rooms.isEncrypted(room))) return false
    await state.set(`${key}:${room}`, true)
    return true
  }
  return {
    meet: async (room) => {
      if (room === undefined && (await state.get(key)) !== true) return
      if (room !== undefined) await state.set(`${key}:${room}`, true)
      await get()
    },
    isAble: () => machine !== undefined,
    isEncrypted,
    receive: async (reply) => {
      await machine?.receive(readChanges(reply)).catch((error: unknown) => {
        // A refusal would mean that the place in the stream is gone.
        throw isAgentError(error, 'SEND_REFUSED') ? fail('PLATFORM_UNREACHABLE', { platform, detail: String(error.params.detail) }) : error
      })
    },
    open: async (room, event) => {
      const plain = await (await get())?.decrypt(room, event)
      if (!plain) return undefined
      const relation = event.content['m.relates_to']
      return { ...event, type: plain.type, content: { ...(relation !== undefined && { 'm.relates_to': relation }), ...plain.content } }
    },
    seal: async (room, type, content) => {
      if (!(await isEncrypted(room))) return { type, content }
      const sealed = await (await get())?.encrypt(room, type, content)
      if (!sealed) throw fail('SEND_REFUSED', { platform, detail: `the room is encrypted, and the agent has lost its keys: ${remedy}` })
      return { type: 'm.room.encrypted', content: sealed }
    },
    close: async () => {
      await (await opening?.catch(() => undefined))?.close()
    },
  }
}

const readChanges = ({ device_lists, to_device, ...reply }: Sync): Changes => ({
  events: to_device?.events ?? [],
  changed: device_lists?.changed ?? [],
  left: device_lists?.left ?? [],
  counts: reply.device_one_time_keys_count ?? {},
  fallbacks: reply.device_unused_fallback_key_types,
})
