import { isAgentError } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import { type Content, formatRelation, formatText } from './content.ts'
import type { Session } from './session.ts'
import { event as eventShape, type RoomEvent } from './wire.ts'

/** Encrypted messages whose keys come after them. */
export interface Late {
  /** The message as it was said; undefined where it has to wait. */
  open(room: string, event: RoomEvent): Promise<RoomEvent | undefined>
  /** Reads what can be opened by now, and tells the rooms whose messages have waited. */
  retry(read: (room: string, event: RoomEvent) => Promise<void>): Promise<void>
}

const waiting = z.array(z.object({ room: z.string(), event: eventShape, since: z.number(), told: z.optional(z.number()) }))
type Waiting = z.output<typeof waiting>

/** Keys are mostly seconds late. */
const patienceMs = 5000
const tellAgainMs = 600_000
const mostWaiting = 50

const notYet =
  'I cannot read what you wrote here, because the key of the message has not reached me. I read it as soon as the key comes; if I do not answer in a minute, please send it again.'
const never =
  'I cannot read encrypted messages here, because the keys of my device are lost. Please tell the person who runs me that I have to log in as a new device.'

export function createLate({ context, seals, put, putPlain, user }: Session): Late {
  const { state, clock, log } = context
  const key = `late:${user}`
  let list: Waiting | undefined
  const load = async (): Promise<Waiting> => {
    list ??= waiting.safeParse(JSON.parse(String((await state.get(key)) ?? '[]'))).data ?? []
    return list
  }
  const keep = async (next: Waiting): Promise<void> => {
    if (next.length > mostWaiting) log.warn('messages whose keys never came are given up', { count: next.length - mostWaiting })
    list = next.slice(-mostWaiting)
    await state.set(key, JSON.stringify(list))
  }
  const tell = async (room: string, id: string, send: () => Promise<unknown>): Promise<void> => {
    await send().catch((error: unknown) => {
      if (!isAgentError(error, 'SEND_REFUSED')) throw error
      log.warn('an encrypted room could not be told that it cannot be read', { room, reason: String(error) })
    })
    log.warn('messages of an encrypted room cannot be read', { room, id })
  }
  const notice = (text: string, id: string): Content => ({ ...formatText({ text }), msgtype: 'm.notice', ...formatRelation(undefined, id) })
  /** Once for all messages of a room that are late together. */
  const tellLate = async ({ room, event: { event_id: id } }: Waiting[number]): Promise<void> => {
    const now = clock.now()
    const isTold = (await load()).some(({ room: other, told }) => other === room && told !== undefined && now - told < tellAgainMs)
    if (!isTold) await tell(room, id, () => put(room, ['send', 'm.room.message', `late-${id}`], notice(notYet, id)))
    await keep((await load()).map((one) => (one.event.event_id === id ? { ...one, told: now } : one)))
  }
  return {
    open: async (room, event) => {
      const plain = await seals.open(room, event)
      if (plain || event.sender === user) return plain
      if (seals.isAble()) {
        const others = (await load()).filter((one) => one.event.event_id !== event.event_id)
        await keep([...others, { room, event, since: clock.now() }])
        return undefined
      }
      // Said once in each room, for good; remembered when it is said, and a repetition of what was cut off is harmless.
      const said = `unreadable:${room}`
      if ((await state.get(said)) !== undefined) return undefined
      await tell(room, event.event_id, () => putPlain(room, ['send', 'm.room.message', 'unreadable'], notice(never, event.event_id)))
      await state.set(said, true)
      return undefined
    },
    retry: async (read) => {
      for (const one of await load()) {
        const plain = await seals.open(one.room, one.event)
        if (!plain) continue
        await read(one.room, plain)
        await keep((await load()).filter((other) => other !== one))
      }
      const due = (await load()).filter(({ told, since }) => told === undefined && clock.now() - since >= patienceMs)
      for (const one of due) await tellLate(one)
    },
  }
}
