import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { identifyProcess, isAlive } from '#gateway/process/process-identity.ts'
import { fileReason } from '#kernel/read-text.ts'
import { type KeptChat, type KeptLine, linesOf, readChat } from './kept-chat.ts'

/** A file that is written to, and what stands in it. */
export interface ChatFile {
  readonly file: number
  readonly chat: KeptChat
  /** The prompts under way, by id. */
  readonly open: Set<string>
  syncedAt: number
}

/** One file for each session, in lines of JSON. */
export interface ChatFiles {
  read(session: string): KeptChat
  /** Undefined where another process answers in the session: its file is not ours. */
  open(session: string): ChatFile | undefined
  /** The one that is open. */
  opened(session: string): ChatFile | undefined
  /** No more is written to it. */
  shut(session: string): void
  /** Puts the shortest file that says this in its place. */
  replace(session: string, chat: Omit<KeptChat, 'owner'>): void
  /** Those of this process and of processes that have ended. */
  left(): readonly { readonly session: string; readonly chat: KeptChat }[]
  /** Takes it away where it was not written to since then. */
  removeOld(session: string, before: number): void
  close(): void
}

export function openChatFiles(folder: string): ChatFiles {
  const files = new Map<string, ChatFile>()
  const self = identifyProcess(process.pid)
  const pathOf = (session: string): string => join(folder, `${encodeURIComponent(session)}.jsonl`)
  const read = (session: string): KeptChat => readChat(textOf(pathOf(session)))
  const isForeign = ({ owner }: KeptChat): boolean => owner !== undefined && owner.pid !== self.pid && isAlive(owner)
  const replace = (session: string, chat: Omit<KeptChat, 'owner'>): void =>
    writeFileAtomic(pathOf(session), linesOf({ ...chat, owner: self }), { mayBeLost: true })
  const shut = (session: string): void => {
    const file = files.get(session)
    files.delete(session)
    if (file) closeSync(file.file)
  }
  return {
    ...{ read, replace, shut },
    open: (session) => {
      const known = files.get(session)
      if (known) return known
      const chat = read(session)
      if (isForeign(chat)) return undefined
      try {
        replace(session, chat)
        const file = { file: openSync(pathOf(session), 'a', 0o600), chat, open: new Set<string>(), syncedAt: 0 }
        files.set(session, file)
        return file
      } catch (error) {
        throw refusal(pathOf(session), error)
      }
    },
    opened: (session) => files.get(session),
    left: () =>
      sessionsIn(folder)
        .map((session) => ({ session, chat: read(session) }))
        .filter(({ chat }) => !isForeign(chat)),
    removeOld: (session, before) => {
      const path = pathOf(session)
      if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) < before) rmSync(path, { force: true })
    },
    close: () => {
      for (const session of [...files.keys()]) shut(session)
    },
  }
}

export function writeLine({ file }: ChatFile, line: KeptLine): void {
  writeSync(file, `${JSON.stringify(line)}\n`)
}

/** What a person can do about a disk that takes nothing. */
export function refusal(path: string, error: unknown): Error {
  if (isAgentError(error)) return error
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return fail('STORE_FULL', { file: path }, { cause: error })
  return fail('HOME_UNUSABLE', { path, reason: fileReason(error) }, { cause: error })
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // None was written; what a folder or a device there means, the first write says.
    return ''
  }
}

function sessionsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith('.jsonl') ? [decodeURIComponent(name.slice(0, -'.jsonl'.length))] : []))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
