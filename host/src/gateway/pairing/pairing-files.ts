import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import type * as z from 'zod/mini'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { fillQuickly } from '#kernel/schema/json-schema.ts'
import { unsure } from '#kernel/schema/quick-schema.ts'
import type { JsonSchema } from '#kernel/schema/schema-check.ts'
import { pairingJsonSchema } from './pairing-json-schema.ts'
import type { approvedSchema, limitsSchema, pendingSchema } from './pairing-schema.ts'

/** By request id. */
export type Pending = z.output<typeof pendingSchema>
export type PendingRequest = Pending[string]
export type ApprovedPerson = z.output<typeof approvedSchema>[number]
export type Limits = z.output<typeof limitsSchema>[string]

/** What pairing keeps of each platform. Changes are made under the lock of `openPairing`. */
export interface PairingFiles {
  pending(platform: string): Pending
  approved(platform: string): readonly ApprovedPerson[]
  limits(platform: string): Limits
  writePending(platform: string, pending: Pending): void
  writeApproved(platform: string, people: readonly ApprovedPerson[]): void
  writeLimits(platform: string, limits: Limits): void
  /** Changes with the content of the approved people. */
  approvedVersion(platform: string): string
}

/** Files that only their owner can read, each replaced as a whole. A damaged one is never taken for an empty one. */
export function openPairingFiles(folder: string): PairingFiles {
  const pendingFile = (platform: string): string => join(folder, `${platform}-pending.json`)
  const approvedFile = (platform: string): string => join(folder, `${platform}-approved.json`)
  const limitsFile = join(folder, '_rate_limits.json')
  const readLimits = (): Record<string, Limits> => readJson(limitsFile, pairingJsonSchema.limits, {})
  return {
    pending: (platform) => readJson(pendingFile(platform), pairingJsonSchema.pending, {}),
    approved: (platform) => readJson(approvedFile(platform), pairingJsonSchema.approved, []),
    limits: (platform) => readLimits()[platform] ?? { wrong: 0, offered: [] },
    writePending: (platform, pending) => writeJson(pendingFile(platform), pending),
    writeApproved: (platform, people) => writeJson(approvedFile(platform), people),
    writeLimits: (platform, limits) => writeJson(limitsFile, { ...readLimits(), [platform]: limits }),
    approvedVersion: (platform) => versionOf(approvedFile(platform)),
  }
}

function readJson<T>(file: string, schema: JsonSchema, empty: T): T {
  let content: unknown
  try {
    content = fillQuickly(schema, JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return empty
    throw fail('PAIRING_DAMAGED', { file, reason: detailOf(error) }, { cause: error })
  }
  if (content === unsure) throw fail('PAIRING_DAMAGED', { file, reason: 'it is not what was written there' })
  return content as T
}

function writeJson(file: string, content: unknown): void {
  writeFileAtomic(file, `${JSON.stringify(content, null, 2)}\n`)
}

function versionOf(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false, bigint: true })
    return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : ''
  } catch {
    // Reading it will say why.
    return 'unreadable'
  }
}
