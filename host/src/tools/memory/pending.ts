import { fail } from '@agent/plugin-sdk/errors'
import { openPendingFiles, type PendingFiles } from '#config/home/pending-files.ts'
import type { PendingChange } from './parse-pending.ts'

export type PendingChanges = PendingFiles<PendingChange>

/** Changes of the memory that wait, in `pending/memory` of the home. */
export function openPendingChanges(folder: string): PendingChanges {
  return openPendingFiles({
    ...{ folder, prefix: 'mem', mostBytes: 256 * 1024 },
    parse: async (text) => (await import('./parse-pending.ts')).parsePending(text),
    tooMany: (most) =>
      fail('MEMORY_UNCHANGED', { problem: `${most} changes wait for approval already; a person has to look at them first` }),
    unknown: (id) => fail('MEMORY_PENDING_UNKNOWN', { id }),
  })
}
