import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { withFileLock } from '#config/home/file-lock.ts'
import { identifyProcess, isAlive } from '#gateway/process/process-identity.ts'
import { fileReason } from '#kernel/read-text.ts'
import { type KeptChat, type KeptLine, linesOf, readChat } from './kept-chat.ts'

/** A file that is written to, and what stands in it. */
export interface ChatFile {
  readonly file: number
  chat: KeptChat
  /** The prompts under way, by id. */
  readonly open: Set<string>
  syncedAt: number
}

interface LeftFile {
  readonly session: string
  readonly chat: KeptChat
}

/** One file for each session, in lines of JSON. */
export interface ChatFiles {
  /** Throws where a file is there and cannot be read: what is in it must not be taken for nothing. */
  read(session: string): KeptChat
  /** Undefined where another process answers in the session: its file is not ours. */
  open(session: string): ChatFile | undefined
  /** The one that is open. */
  opened(session: string): ChatFile | undefined
  /** No more is written to it. */
  shut(session: string): void
  /** Puts the shortest file that says this in its place. */
  replace(session: string, chat: Omit<KeptChat, 'owner'>): void
  /** Those of this process and of processes that have ended. What somebody has to store is of this process from now on. */
  left(onUnreadable: (session: string, error: unknown) => void): readonly LeftFile[]
  /** Takes it away where it was not written to since then. */
  removeOld(session: string, before: number): void
  close(): void
}

export function openChatFiles(folder: string): ChatFiles {
  const files = new Map<string, ChatFile>()
  const self = identifyProcess(process.pid)
  // Half a character, which a client may send, is no part of a name.
  const pathOf = (session: string): string => join(folder, `${encodeURIComponent(Buffer.from(session).toString())}.jsonl`)
  const read = (session: string): KeptChat => readChat(textOf(pathOf(session)))
  const isForeign = ({ owner }: KeptChat): boolean => owner !== undefined && owner.pid !== self.pid && isAlive(owner)
  const replace = (session: string, chat: Omit<KeptChat, 'owner'>): void =>
    writeFileAtomic(pathOf(session), linesOf({ ...chat, owner: self }), { mayBeLost: true })
  const shut = (session: string): void => {
    const file = files.get(session)
    files.delete(session)
    if (file) closeSync(file.file)
  }
  /** Of two processes that start at once only one stores what was left. */
  const take = (session: string): readonly LeftFile[] => {
    const seen = read(session)
    if (isForeign(seen)) return []
    if (seen.cut.length === 0) return [{ session, chat: seen }]
    return withFileLock(pathOf(session), () => {
      const chat = read(session)
      if (isForeign(chat)) return []
      if (!files.has(session)) replace(session, chat)
      return [{ session, chat }]
    })
  }
  return {
    ...{ read, replace, shut },
    open: (session) => {
      const known = files.get(session)
      if (known) return known
      try {
        const chat = read(session)
        if (isForeign(chat)) return undefined
        replace(session, chat)
        const file = { file: openSync(pathOf(session), 'a', 0o600), chat, open: new Set<string>(), syncedAt: 0 }
        files.set(session, file)
        return file
      } catch (error) {
        throw refusal(pathOf(session), error)
      }
    },
    opened: (session) => files.get(session),
    left: (onUnreadable) =>
      sessionsIn(folder).flatMap((session) => {
        try {
          return take(session)
        } catch (error) {
          onUnreadable(session, error)
          return []
        }
      }),
    removeOld: (session, before) => {
      const path = pathOf(session)
      if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) < before) rmSync(path, { force: true })
    },
    close: () => {
      for (const session of [...files.keys()]) shut(session)
    },
  }
}

/** A disk that is nearly full takes a part and says so by a number; only the rest is what fails. */
export function writeLine({ file }: ChatFile, line: KeptLine): void {
  for (let rest = Buffer.from(`${JSON.stringify(line)}\n`); rest.length > 0; ) rest = rest.subarray(writeSync(file, rest))
}

/** What a person can do about a disk that takes nothing. */
export function refusal(path: string, error: unknown): Error {
  if (isAgentError(error)) return error
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return fail('STORE_FULL', { file: path }, { cause: error })
  return fail('HOME_UNUSABLE', { path, reason: fileReason(error) }, { cause: error })
}

/** A pipe would be waited for, and a device may never end. */
function textOf(path: string): string {
  try {
    if (!statSync(path).isFile()) throw fail('HOME_UNUSABLE', { path, reason: 'it is no file; move it away' })
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A name that is too long for a file was never written.
    if (code === 'ENOENT' || code === 'ENAMETOOLONG') return ''
    throw error
  }
}

function sessionsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith('.jsonl') ? decode(name.slice(0, -'.jsonl'.length)) : []))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** What somebody else put there has a name that is none of a session. */
function decode(name: string): readonly string[] {
  try {
    return [decodeURIComponent(name)]
  } catch {
    return []
  }
}
