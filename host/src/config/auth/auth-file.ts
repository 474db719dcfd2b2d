import { fail } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import { readText } from '#kernel/read-text.ts'
import { writeFileAtomic } from '../home/atomic-file.ts'
import { withFileLock } from '../home/file-lock.ts'

const text = z.string()
const time = z.int()

const storedLogin = z.object({
  kind: z.enum(['device-code', 'pkce', 'cli']),
  /** When a person logged in. */
  at: time,
  clientId: z.optional(text),
  /** Of the client, where its service gives out one: renewals need it. */
  clientSecret: z.optional(text),
  /** Grows with each renewal: who holds an older one looks again before it gives up. */
  generation: z.int(),
  access: z.optional(text),
  refresh: z.optional(text),
  renewAt: z.optional(time),
  /** When its tokens came from a renewal. */
  renewedAt: z.optional(time),
  expiresAt: z.optional(time),
  /** Why it is worth nothing any more. */
  ended: z.optional(text),
  /** What it was made with, where no manifest says so: the server that it is for, and who gave it. */
  service: z.optional(
    z.object({
      ...{ url: text, issuer: text, tokenUrl: text, resource: text },
      clientAuth: z.optional(z.enum(['client_secret_post', 'client_secret_basic'])),
    }),
  ),
  /** Who renews it now. */
  lease: z.optional(z.object({ owner: text, until: time })),
})

const file = z.object({
  version: z.literal(1),
  logins: z._default(z.record(text, storedLogin), {}),
  /** Further keys of a provider, beside the one of its variable. */
  keys: z._default(z.record(text, z.array(z.object({ key: text, label: z.optional(text), at: time }))), {}),
  /** Which keys of a provider rest until when, by fingerprint. */
  rests: z._default(z.record(text, z.record(text, z.object({ until: time, class: text }))), {}),
})

export type StoredLogin = z.output<typeof storedLogin>
export type AuthData = z.output<typeof file>

const mostBytes = 1024 * 1024

/** The logins and keys of a home. Throws FILE_UNREADABLE, by name, where it is not what this program wrote. */
export function readAuthFile(path: string): AuthData {
  const found = readText(path, { mostBytes })
  if (found === undefined) return { version: 1, logins: {}, keys: {}, rests: {} }
  const parsed = z.safeParse(file, parseJson(found))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const problem = `is no list of logins that this program knows (${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')})`
  throw fail('FILE_UNREADABLE', { path, problem, fix: 'correct it, or move it away and log in again' })
}

/** Reads, changes and writes it while no other process does. What `change` gives back as `data` is written, unless it could not be read again. */
export function changeAuthFile<T>(path: string, change: (data: AuthData) => { readonly data?: AuthData; readonly result: T }): T {
  return withFileLock(path, () => {
    const { data, result } = change(readAuthFile(path))
    if (data) writeFileAtomic(path, textOf(path, data))
    return result
  })
}

/** One thing that does not fit would take all other logins with it. */
function textOf(path: string, data: AuthData): string {
  const text = `${JSON.stringify(data, null, 2)}\n`
  const [issue] = z.safeParse(file, JSON.parse(text)).error?.issues ?? []
  const isLong = Buffer.byteLength(text) > mostBytes
  if (!issue && !isLong) return text
  const problem = issue ? `would not fit at ${issue.path.join('.')} (${issue.message})` : `would be longer than ${mostBytes} bytes`
  throw fail('FILE_UNREADABLE', {
    path,
    problem: `was left as it is: it ${problem}`,
    fix: 'log in again, or log out of what you no longer need',
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
