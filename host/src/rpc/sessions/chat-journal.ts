import { fdatasync, fstatSync, ftruncateSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Clock, Log, TurnEvent } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { type ChatFile, type ChatFiles, openChatFiles, refusal, writeLine } from './chat-files.ts'
import type { CutPrompt, KeptChat, KeptLine, KeptPrompt } from './kept-chat.ts'

export interface ChatJournalOptions {
  readonly folder: string
  /** Waits for the disk, so that a power cut takes nothing that was accepted. */
  readonly isDurable: boolean
  readonly clock: Clock
  readonly log: Log
}

export interface LeftChat {
  readonly session: string
  readonly prompts: readonly CutPrompt[]
}

/** What is said in the chats of a profile and is not stored yet, on disk before anybody hears of it. */
export interface ChatJournal {
  /** The session was given out: it is known after a crash, though nothing was said in it. */
  create(session: string): void
  /** Resolves when the prompt is on disk. Rejects with STORE_FULL or HOME_UNUSABLE. */
  accept(session: string, prompt: KeptPrompt): Promise<void>
  /** The turn of the prompt begins, behind so many stored messages. */
  begin(session: string, prompt: KeptPrompt, before: number): void
  /** What the turn that runs in the session tells. */
  hear(session: string, event: TurnEvent): void
  /** The prompt is answered and stored, or nobody wants it any more. */
  end(session: string, prompt: string): void
  /** Numbers of the newest prompts that were accepted, by id: a client that heard nothing sends them again. */
  accepted(session: string): ReadonlyMap<string, number>
  /** It was given out, and nothing was said in it. */
  isFresh(session: string): boolean
  /** What processes that have ended left behind. */
  left(): readonly LeftChat[]
  /** A prompt that had not begun is about to be stored behind so many messages. Throws where that cannot be written: it would be stored twice. */
  place(session: string, prompt: string, before: number): void
  /** One of these prompts is stored, or is not to be stored. */
  settle(session: string, prompt: string): void
  close(): void
}

const sync = promisify(fdatasync)
/** The words of an answer may wait for the disk so long; a process that is killed loses none of them. */
const syncMs = 1_000
/** A client does not send a prompt again that is older. */
const keptMs = 7 * 86_400_000

/** A write ends in the memory of the system: a word takes microseconds, where a row of the store takes a flush of the disk. */
export function openChatJournal({ folder, isDurable, clock, log }: ChatJournalOptions): ChatJournal {
  const files = openChatFiles(folder)
  /** What cannot be kept is answered all the same. */
  const attempt = (session: string, act: () => void): void => {
    try {
      act()
    } catch (error) {
      log.warn('What is said in a chat would be lost by a crash.', { session, error: detailOf(error) })
      files.shut(session)
    }
  }
  return {
    create: (session) =>
      attempt(session, () => {
        files.open(session)
        files.shut(session)
      }),
    accept: async (session, prompt) => {
      const file = files.open(session)
      if (!file) return
      try {
        noteWhole(file, prompt)
        if (isDurable) await sync(file.file)
      } catch (error) {
        attempt(session, () => refuse(files, session, prompt.id))
        throw refusal(folder, error)
      }
    },
    begin: (session, prompt, before) => attempt(session, () => begin(files.open(session), prompt, before)),
    hear: (session, event) => {
      const [line, file] = [lineOf(event), files.opened(session)]
      if (!line || !file) return
      attempt(session, () => {
        writeLine(file, line)
        if (!isDurable || clock.now() - file.syncedAt < syncMs) return
        file.syncedAt = clock.now()
        // Where the disk is broken the end of the turn says so.
        fdatasync(file.file, () => undefined)
      })
    },
    end: (session, prompt) => attempt(session, () => end(files, session, prompt)),
    accepted: (session) => readOr(files, session)?.accepted ?? new Map(),
    isFresh: (session) => {
      const { owner, accepted } = readOr(files, session) ?? {}
      return owner !== undefined && accepted?.size === 0
    },
    left: () => {
      const onUnreadable = (session: string, error: unknown): void =>
        log.error('what was said before a crash cannot be read', { session, error: detailOf(error) })
      const left = files.left(onUnreadable).map(({ session, chat }) => ({ session, prompts: chat.cut }))
      for (const { session, prompts } of left) if (prompts.length === 0) files.removeOld(session, clock.now() - keptMs)
      return left.filter(({ prompts }) => prompts.length > 0)
    },
    place: (session, prompt, before) => {
      const { accepted, cut } = files.read(session)
      files.replace(session, { accepted, cut: cut.map((each) => (each.id === prompt ? { ...each, before } : each)) })
    },
    settle: (session, prompt) => {
      const { accepted, cut } = files.read(session)
      files.replace(session, { accepted, cut: cut.filter(({ id }) => id !== prompt) })
    },
    close: files.close,
  }
}

function note(file: ChatFile, prompt: KeptPrompt): void {
  file.open.add(prompt.id)
  file.chat.accepted.set(prompt.id, prompt.ordinal)
  writeLine(file, { type: 'prompt', ...prompt })
}

/** The whole line, or nothing of it: what is refused is not there after a crash. */
function noteWhole(file: ChatFile, prompt: KeptPrompt): void {
  const { size } = fstatSync(file.file)
  try {
    note(file, prompt)
  } catch (error) {
    ftruncateSync(file.file, size)
    throw error
  }
}

/** Its sender is told that it is not kept: it must not come back, and may be sent again. */
function refuse(files: ChatFiles, session: string, id: string): void {
  const file = files.opened(session)
  if (!file) return
  file.open.delete(id)
  const { accepted, cut } = file.chat
  accepted.delete(id)
  if (file.open.size > 0) {
    writeLine(file, { type: 'refused', id })
    return
  }
  files.shut(session)
  files.replace(session, { accepted, cut })
}

/** What cannot be read is not known; that it is not lost is up to who writes. */
function readOr(files: ChatFiles, session: string): KeptChat | undefined {
  try {
    return files.read(session)
  } catch {
    return undefined
  }
}

function begin(file: ChatFile | undefined, prompt: KeptPrompt, before: number): void {
  if (!file) return
  // What a command asks was accepted as a command.
  if (!file.open.has(prompt.id)) note(file, prompt)
  writeLine(file, { type: 'turn', id: prompt.id, before })
}

/** Where nothing is under way any more, what was said goes, and what a client may send again stays known. */
function end(files: ChatFiles, session: string, prompt: string): void {
  // It is not open where it could not be written to meanwhile.
  const file = files.open(session)
  if (!file) return
  file.open.delete(prompt)
  file.chat = { ...file.chat, cut: file.chat.cut.filter(({ id }) => id !== prompt) }
  if (file.open.size > 0) {
    writeLine(file, { type: 'over', id: prompt })
    return
  }
  files.shut(session)
  files.replace(session, file.chat)
}

function lineOf(event: TurnEvent): KeptLine | undefined {
  if (event.type === 'message.delta') return { type: 'said', text: event.text }
  // The words before a call are stored with it.
  return event.type === 'tool.start' ? { type: 'stored' } : undefined
}
