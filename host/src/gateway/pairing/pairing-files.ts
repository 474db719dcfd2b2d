import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import { writeFileAtomic } from '#config/atomic-file.ts'

const person = { account: z.string(), user: z.string(), name: z.optional(z.string()) }
const pendingSchema = z.record(
  z.string().check(z.regex(/^[0-9a-f]{16}$/)),
  z.strictObject({ ...person, message: z.string(), salt: z.string(), hash: z.string(), at: z.number() }),
)
const approvedSchema = z.array(z.strictObject({ ...person, at: z.number() }))
const limitsSchema = z.record(
  z.string(),
  z.strictObject({
    /** Wrong codes in a row. */
    wrong: z.number(),
    /** When too many wrong codes locked the platform. */
    lockedAt: z.optional(z.number()),
    /** Who got a code lately. */
    offered: z.array(z.strictObject({ account: z.string(), user: z.string(), at: z.number() })),
  }),
)

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
  const readLimits = (): Record<string, Limits> => readJson(limitsFile, limitsSchema, {})
  return {
    pending: (platform) => readJson(pendingFile(platform), pendingSchema, {}),
    approved: (platform) => readJson(approvedFile(platform), approvedSchema, []),
    limits: (platform) => readLimits()[platform] ?? { wrong: 0, offered: [] },
    writePending: (platform, pending) => writeJson(pendingFile(platform), pending),
    writeApproved: (platform, people) => writeJson(approvedFile(platform), people),
    writeLimits: (platform, limits) => writeJson(limitsFile, { ...readLimits(), [platform]: limits }),
    approvedVersion: (platform) => versionOf(approvedFile(platform)),
  }
}

function readJson<T>(file: string, schema: z.ZodMiniType<T>, empty: T): T {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')), { jitless: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return empty
    throw fail('PAIRING_DAMAGED', { file, reason: reasonOf(error) }, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof z.core.$ZodError) return `${error.issues[0]?.path.join('.') || 'it'} is not what was written there`
  return error instanceof Error ? error.message : String(error)
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
