import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { newId } from '#kernel/ids.ts'
import { readText } from '#kernel/read-text.ts'
import type { PendingChange } from './parse-pending.ts'

export interface PendingChanges {
  /** Answers with the name under which it waits. */
  add(change: Omit<PendingChange, 'id'>): Promise<string>
  /** Oldest first; of one owner, or all of them. */
  list(owner?: string): Promise<readonly PendingChange[]>
  /** Rejects with MEMORY_PENDING_UNKNOWN, also for one of another owner. */
  find(id: string, owner?: string): Promise<PendingChange>
  remove(id: string): void
}

const mostBytes = 256 * 1024
/** More than a person looks through. */
const mostPending = 200

/** Each change is a file of `pending/memory` in the home; a file that cannot be read is passed over. */
export function openPendingChanges(folder: string): PendingChanges {
  const pathOf = (id: string): string => join(folder, `${id}.json`)

  async function read(id: string): Promise<PendingChange | undefined> {
    if (!/^mem_[A-Za-z0-9_-]{1,60}$/.test(id)) return undefined
    const found = readText(pathOf(id), { mostBytes })
    if (found === undefined) return undefined
    const { parsePending } = await import('./parse-pending.ts')
    const parsed = parsePending(found)
    return parsed?.id === id ? parsed : undefined
  }

  async function list(owner?: string): Promise<readonly PendingChange[]> {
    const found: PendingChange[] = []
    for (const name of listNames(folder)) {
      const each = name.endsWith('.json') ? await read(name.slice(0, -'.json'.length)) : undefined
      if (each && (owner === undefined || each.owner === owner)) found.push(each)
    }
    return found.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  return {
    list,
    async add(change) {
      if ((await list(change.owner)).length >= mostPending)
        throw fail('MEMORY_UNCHANGED', { problem: `${mostPending} changes wait for approval already; a person has to look at them first` })
      const id = newId('mem')
      writeFileAtomic(pathOf(id), `${JSON.stringify({ id, ...change }, null, 2)}\n`)
      return id
    },
    async find(id, owner) {
      const found = await read(id)
      if (!found || (owner !== undefined && found.owner !== owner)) throw fail('MEMORY_PENDING_UNKNOWN', { id })
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
