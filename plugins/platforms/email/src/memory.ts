import type { State } from '@agent/plugin-sdk'
import { type Cursor, parseCursor, parseThreads, type Thread } from './wire.ts'

/** What survives a restart: how far each mailbox was read, and to what an answer refers. */
export interface Memory {
  cursor(mailbox: string): Promise<Cursor | undefined>
  setCursor(mailbox: string, cursor: Cursor): Promise<void>
  rememberThread(thread: Thread): Promise<void>
  /** The message with this id, or the last one of the conversation. */
  findThread(conversation: string, id: string | undefined): Thread | undefined
}

const mostThreads = 200

export async function openMemory(state: State, account: string): Promise<Memory> {
  const threadsKey = `threads:${account}`
  let threads = parseThreads(await state.get(threadsKey))
  const cursorKey = (mailbox: string): string => `cursor:${account}:${mailbox}`
  return {
    cursor: async (mailbox) => parseCursor(await state.get(cursorKey(mailbox))),
    setCursor: (mailbox, { validity, uid }) => state.set(cursorKey(mailbox), { validity, uid }),
    rememberThread: async (thread) => {
      threads = [...threads.filter(({ id }) => id !== thread.id), thread].slice(-mostThreads)
      await state.set(threadsKey, threads)
    },
    findThread: (conversation, id) => {
      const own = threads.filter((thread) => thread.conversation === conversation)
      return own.find((thread) => thread.id === id) ?? own.at(-1)
    },
  }
}
