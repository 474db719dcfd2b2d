import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { type IdPrefix, newId } from '#kernel/ids.ts'
import { readText } from '#kernel/read-text.ts'
import { writeFileAtomic } from './atomic-file.ts'

/** Something that waits until a person says what becomes of it. */
export interface Waiting {
  readonly id: string
  /** For whom it was asked. */
  readonly owner: string
}

export interface PendingFiles<Change extends Waiting> {
  /** Answers with the name under which it waits. */
  add(change: Omit<Change, 'id'>): Promise<string>
  /** Oldest first; of one owner, or all of them. */
  list(owner?: string): Promise<readonly Change[]>
  /** Rejects where nothing waits under this name, also for one of another owner. */
  find(id: string, owner?: string): Promise<Change>
  remove(id: string): void
}

export interface PendingOptions<Change> {
  readonly folder: string
  readonly prefix: IdPrefix
  /** In bytes; a larger file is passed over. */
  readonly mostBytes: number
  /** Undefined where the text is none. */
  readonly parse: (text: string) => Promise<Change | undefined>
  /** The error where more wait for one owner than a person looks through. */
  readonly tooMany: (most: number) => Error
  readonly unknown: (id: string) => Error
}

const mostPending = 200

/** Each of them is a file of a folder below `pending` in the home; a file that cannot be read is passed over. */
export function openPendingFiles<Change extends Waiting>(options: PendingOptions<Change>): PendingFiles<Change> {
  const { folder, prefix, mostBytes, parse } = options
  const pathOf = (id: string): string => join(folder, `${id}.json`)

  async function read(id: string): Promise<Change | undefined> {
    if (!id.startsWith(`${prefix}_`) || !/^[a-z]+_[A-Za-z0-9_-]{1,60}$/.test(id)) return undefined
    const found = readText(pathOf(id), { mostBytes })
    const parsed = found === undefined ? undefined : await parse(found)
    return parsed?.id === id ? parsed : undefined
  }

  async function list(owner?: string): Promise<readonly Change[]> {
    const found: Change[] = []
    for (const name of listNames(folder)) {
      const each = name.endsWith('.json') ? await read(name.slice(0, -'.json'.length)) : undefined
      if (each && (owner === undefined || each.owner === owner)) found.push(each)
    }
    return found.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  return {
    list,
    async add(change) {
      if ((await list(change.owner)).length >= mostPending) throw options.tooMany(mostPending)
      const id = newId(prefix)
      writeFileAtomic(pathOf(id), `${JSON.stringify({ id, ...change }, null, 2)}\n`)
      return id
    },
    async find(id, owner) {
      const found = await read(id)
      if (!found || (owner !== undefined && found.owner !== owner)) throw options.unknown(id)
      return found
    },
    remove: (id) => rmSync(pathOf(id), { force: true }),
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw fail('HOME_UNUSABLE', { path: folder, reason: String((error as NodeJS.ErrnoException).code) }, { cause: error })
  }
}
