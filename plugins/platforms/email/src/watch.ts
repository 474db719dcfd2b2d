import type { Clock, Log } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Life } from '@agent/plugin-sdk/http'
import type { ImapFlow } from 'imapflow'
import { describeImapError } from './imap.ts'
import type { Memory } from './memory.ts'
import type { Cursor, Place } from './wire.ts'

export interface WatchOptions {
  readonly client: ImapFlow
  readonly memory: Memory
  readonly log: Log
  readonly mailboxes: readonly string[]
  readonly pollMs: number
  readonly clock: Clock
  readonly life: Life
  /** Resolves when the letter was dealt with and need not be seen again. */
  readonly onLetter: (place: Place) => Promise<void>
}

export interface Watch {
  /** Looks for mail again, soon. */
  wake(): void
  /** Resolves when the watch is over. */
  readonly done: Promise<void>
}

/** How often a server is asked for a sign of life; a gateway may be impatient after 30 seconds. */
const beatMs = 20_000

/** How far a selected mailbox was read. One that was not read before is taken as read: old mail is not answered. */
export async function openCursor(
  { client, memory, log }: Pick<WatchOptions, 'client' | 'memory' | 'log'>,
  mailbox: string,
): Promise<Cursor> {
  if (!client.mailbox) throw new Error(`${mailbox} is not open`)
  const { uidNext, uidValidity } = client.mailbox
  const validity = String(uidValidity)
  const known = await memory.cursor(mailbox)
  if (known?.validity === validity) return known
  if (known) log.warn('the server has renumbered a mailbox; mail that came meanwhile is not answered', { mailbox })
  const cursor = { validity, uid: uidNext - 1 }
  await memory.setCursor(mailbox, cursor)
  return cursor
}

/** Reads what is new in each mailbox, now and whenever the server tells or time has passed. */
export function startWatch(options: WatchOptions): Watch {
  const { client, mailboxes, pollMs, clock, life } = options
  let bell = new AbortController()
  const wake = (): void => bell.abort()
  client.on('exists', () => {
    life.hear()
    wake()
  })
  life.signal.addEventListener('abort', wake, { once: true })
  const rest = async (): Promise<void> => {
    const canIdle = client.capabilities.has('IDLE') && mailboxes.length === 1
    const until = clock.now() + (canIdle ? beatMs : pollMs)
    // The next command ends it; what breaks it closes the connection, which is seen there.
    if (canIdle) client.idle().catch(() => undefined)
    for (;;) {
      await clock.sleep(Math.min(beatMs, until - clock.now()), bell.signal).catch(() => undefined)
      if (bell.signal.aborted || clock.now() >= until) break
      await client.noop()
      life.hear()
    }
    bell = new AbortController()
  }
  const run = async (): Promise<void> => {
    while (!life.signal.aborted) {
      for (const mailbox of mailboxes) await readNew(options, mailbox)
      await rest()
    }
  }
  const done = run().catch((error: unknown) => life.end(isAgentError(error) ? error : describeImapError(error)))
  return { wake, done }
}

async function readNew(options: WatchOptions, mailbox: string): Promise<void> {
  const { validity, uids } = await findNew(options, mailbox)
  for (const uid of uids) {
    if (options.life.signal.aborted) return
    // The mailbox is not held meanwhile: a host that is busy may be waiting for a file from it.
    await options.onLetter({ mailbox, validity, uid })
    await options.memory.setCursor(mailbox, { validity, uid })
  }
}

async function findNew(options: WatchOptions, mailbox: string): Promise<{ readonly validity: string; readonly uids: readonly number[] }> {
  const { client, life } = options
  const lock = await client.getMailboxLock(mailbox, { readOnly: true })
  try {
    const { validity, uid: last } = await openCursor(options, mailbox)
    await client.noop()
    const found = await client.fetchAll(`${last + 1}:*`, { uid: true }, { uid: true })
    life.hear()
    // A range beyond the end names the last message.
    const uids = found.map(({ uid }) => uid).filter((uid) => uid > last)
    return { validity, uids: uids.sort((one, other) => one - other) }
  } finally {
    lock.release()
  }
}
