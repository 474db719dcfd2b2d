import type { EventFrame, PromptFile } from '../../../src/rpc/protocol.ts'
import type { RpcSocket } from '../net/socket.ts'
import { addFrames, type ChatLog, emptyLog, hasGap } from './log.ts'
import { changeEntry, type Entry, nextEntry, packQueue, type Queue, removeEntry, unpackQueue } from './queue.ts'

export interface ChatState {
  readonly log: ChatLog
  readonly queue: Queue
  /** The log was read. */
  readonly loaded: boolean
  readonly failure: unknown
}

export interface ChatSession {
  readonly state: () => ChatState
  subscribe(listener: () => void): () => void
  /** Says why it cannot be kept, where the browser has no room for it. */
  add(text: string, more?: { readonly files?: readonly PromptFile[]; readonly replaces?: number }): string | undefined
  edit(id: string, change: Partial<Entry>): void
  remove(id: string): void
  reload(): void
  close(): void
}

export interface ChatSessionOptions {
  readonly socket: RpcSocket
  readonly id: string
  readonly store: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  readonly storeKey: string
  readonly newId: () => string
  /** The conversation goes on in another session. */
  readonly onNext: (session: string) => void
  /** Calls back before the next picture is drawn: many events make one drawing. */
  readonly soon: (next: () => void) => void
}

/** One session as the browser knows it: drawn from the numbered log alone, and the queue of what is still to be said. */
export function openChatSession(options: ChatSessionOptions): ChatSession {
  const { socket, id, store, storeKey, newId } = options
  const cell = createCell({ log: emptyLog, queue: unpackQueue(store.getItem(storeKey)), loaded: false, failure: undefined }, options)
  const pump = createPump(cell, options)
  const { catchUp, take } = createReader(cell, options, pump)
  const changeQueue = (queue: Queue) => {
    cell.set({ queue })
    void pump()
  }
  const stopEvents = socket.onEvent((frame) => frame.session_id === id && take(frame))
  const stopLink = socket.onLink(() => {
    cell.set({})
    if (socket.link() === 'open') void catchUp(!cell.get().loaded)
  })
  void catchUp(true)
  return {
    state: cell.get,
    subscribe: cell.subscribe,
    add(text, { files = [], replaces } = {}) {
      const entry = { id: newId(), text, ...(files.length > 0 && { files }), ...(replaces !== undefined && { replaces }) }
      try {
        changeQueue([...cell.get().queue, entry])
        return undefined
      } catch {
        return 'The browser has no room to keep this message until it is sent. Wait until those before it have left, or send less.'
      }
    },
    edit: (entry, change) => changeQueue(changeEntry(cell.get().queue, entry, change)),
    remove: (entry) => changeQueue(removeEntry(cell.get().queue, entry)),
    reload: () => void catchUp(true),
    close() {
      cell.close()
      stopEvents()
      stopLink()
    },
  }
}

interface Cell {
  readonly get: () => ChatState
  readonly set: (change: Partial<ChatState>) => void
  readonly subscribe: (listener: () => void) => () => void
  readonly close: () => void
  readonly closed: () => boolean
}

/** The state; the queue in it is written down with each change. */
function createCell(first: ChatState, { store, storeKey, soon }: ChatSessionOptions): Cell {
  const listeners = new Set<() => void>()
  let state = first
  let told = false
  let closed = false
  return {
    get: () => state,
    set(change) {
      if (change.queue?.length === 0) store.removeItem(storeKey)
      else if (change.queue) store.setItem(storeKey, packQueue(change.queue))
      state = { ...state, ...change }
      if (told) return
      told = true
      soon(() => {
        told = false
        for (const listener of listeners) listener()
      })
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      closed = true
    },
    closed: () => closed,
  }
}

/** Sends the next entry where the session is free; it leaves the queue only when it was accepted. */
function createPump(cell: Cell, { socket, id }: ChatSessionOptions): () => Promise<void> {
  const isReady = () => {
    const { loaded, failure, log } = cell.get()
    return loaded && failure === undefined && log.status === 'idle' && socket.link() === 'open' && !cell.closed()
  }
  return async function pump() {
    const entry = nextEntry(cell.get().queue, isReady())
    if (entry === undefined) return
    cell.set({ queue: changeEntry(cell.get().queue, entry.id, { sending: true }) })
    const truncate = entry.replaces === undefined ? {} : { truncate_before_user_ordinal: entry.replaces }
    try {
      const files = entry.files === undefined ? {} : { files: entry.files }
      await socket.call('prompt.submit', { session_id: id, text: entry.text, id: entry.id, ...files, ...truncate })
      cell.set({ queue: removeEntry(cell.get().queue, entry.id) })
    } catch (error) {
      // A lost connection is no refusal: the same id is sent again when it is back.
      const failure = socket.link() === 'open' && error instanceof Error ? { failure: error.message } : {}
      cell.set({ queue: changeEntry(cell.get().queue, entry.id, { sending: false, ...failure }) })
    }
    await pump()
  }
}

/** The whole session. Its status and title are told beside the log, which may begin after they were set. */
async function resume(socket: RpcSocket, id: string): Promise<ChatLog> {
  const { events, status, title } = await socket.call('session.resume', { session_id: id })
  const log = addFrames(emptyLog, events)
  return { ...log, status, title: title ?? log.title }
}

interface Reader {
  /** Asks for what came after the last event that is known, or for everything. */
  readonly catchUp: (all: boolean) => Promise<void>
  readonly take: (frame: EventFrame) => void
}

function createReader(cell: Cell, { socket, id, onNext }: ChatSessionOptions, pump: () => Promise<void>): Reader {
  let asking = false
  let early: readonly EventFrame[] = []
  const read = async (all: boolean) => {
    const since = all ? undefined : await socket.call('session.events.since', { session_id: id, seq: cell.get().log.seq })
    const whole = since === undefined || since.gap
    const log = whole ? await resume(socket, id) : addFrames(cell.get().log, since.events)
    cell.set({ log: addFrames(log, early), loaded: true, failure: undefined })
    early = []
  }
  const catchUp = async (all: boolean) => {
    if (asking || cell.closed() || socket.link() !== 'open') return
    asking = true
    await read(all).catch((failure: unknown) => socket.link() === 'open' && cell.set({ failure, loaded: true }))
    asking = false
    await pump()
  }
  return {
    catchUp,
    take(frame) {
      if (frame.event.type === 'session.next') onNext(frame.event.session_id)
      const { log, loaded } = cell.get()
      if (asking || !loaded) early = [...early, frame]
      else if (hasGap(log, frame)) void catchUp(false)
      else cell.set({ log: addFrames(log, [frame]) })
      void pump()
    },
  }
}
