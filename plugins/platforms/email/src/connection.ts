import type { Attachment, Call, Connection, Platform, PlatformContext } from '@agent/plugin-sdk'
import { linkSignals } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { createReceiveQueue, type Life, openLife } from '@agent/plugin-sdk/http'
import type { ImapFlow } from 'imapflow'
import type { Config } from './config.ts'
import { fetchLetter } from './fetch-letter.ts'
import { closeImap, describeImapError, openImap, platform } from './imap.ts'
import { isByMachine, readLetter, unverified } from './inbound.ts'
import { type Memory, openMemory } from './memory.ts'
import { createSender, type Sender, verifySmtp } from './outbound.ts'
import { loadSettings, type Settings } from './settings.ts'
import { openCursor, startWatch, type Watch } from './watch.ts'
import { type Place, parseFileId } from './wire.ts'

/** One mailbox, and the server that sends for it. */
const email: Platform<Config> = {
  async connect(context, call) {
    const settings = await loadSettings(context.config, context.secrets)
    const memory = await openMemory(context.state, settings.address)
    const life = openLife(context, platform)
    using given = linkSignals(context.signal, call.signal)
    const { signal } = given
    const client = await openImap(settings, signal)
    const closed = new Promise<void>((resolve) => {
      life.signal.addEventListener('abort', () => void closeImap(client, context.clock).then(resolve), { once: true })
    })
    client.on('close', () => life.end(fail('PLATFORM_LOST', { platform, detail: 'the IMAP server closed the connection' })))
    const giveUp = (): void => life.close()
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      const sender = createSender({ settings, memory, files: context.files, clock: context.clock, signal: life.signal })
      for (const mailbox of settings.mailboxes) {
        await client.mailboxOpen(mailbox, { readOnly: true })
        await openCursor({ client, memory, log: context.log }, mailbox)
      }
      await verifySmtp(settings, context.clock, signal)
      return open(context, { settings, memory, life, client, sender, closed })
    } catch (error) {
      life.close()
      throw isAgentError(error) ? error : describeImapError(error)
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  },
}

interface Parts {
  readonly settings: Settings
  readonly memory: Memory
  readonly life: Life
  readonly client: ImapFlow
  readonly sender: Sender
  /** Resolves when the client is closed, after the end of the connection. */
  readonly closed: Promise<void>
}

function open(context: PlatformContext<Config>, parts: Parts): Connection {
  const { settings, memory, life, client, sender, closed } = parts
  const { clock, log } = context
  if (settings.authservId === undefined && !settings.config.trust_from) {
    log.warn(`no sender is proved: set authserv_id, or trust_from. Until then every sender is "${unverified}…"`)
  }
  const { mailboxes, pollMs } = settings
  const watch = startWatch({ client, mailboxes, pollMs, memory, clock, log, life, onLetter: createReader(context, parts) })
  life.serve()
  log.info('connected to the mailbox', { address: settings.address, imap: settings.imap.security, smtp: settings.smtp.security })
  return {
    send: sender.send,
    findSent: sender.findSent,
    identity: async () => ({ id: settings.address, name: settings.address }),
    fetchMedia: (attachment, call) => fetchMedia(client, watch, attachment, call),
    lastHeard: async () => life.lastHeard(),
    close: async (closeCall) => {
      await sender.finish(closeCall.signal)
      life.close()
      await Promise.all([closed, watch.done])
    },
  }
}

/** Hands in one letter. What cannot be read is left out, so that it does not stand before the next ones for ever. */
function createReader(context: PlatformContext<Config>, { settings, memory, life, client }: Parts): (place: Place) => Promise<void> {
  const { clock, log, receive } = context
  const accept = createReceiveQueue({ receive, clock, signal: life.signal, onFailure: life.end })
  const fetch = async (place: Place) => {
    try {
      return await fetchLetter(client, place, (head) => !isByMachine(head, settings.address))
    } catch (error) {
      if (!client.usable) throw error
      log.warn('a letter cannot be read and is left out', { mailbox: place.mailbox, uid: place.uid, detail: String(error) })
      return undefined
    }
  }
  return async (place) => {
    const letter = await fetch(place)
    const read = letter && readLetter(letter, settings)
    if (!letter || !read) return
    if (read.message.sender.id.startsWith(unverified)) {
      const [results = 'none'] = letter.head.all('authentication-results')
      log.info('nobody vouches for the sender of a letter', { from: letter.head.from.address, results: results.slice(0, 200) })
    }
    await memory.rememberThread(read.thread)
    await accept(read.message)
  }
}

async function* fetchMedia(client: ImapFlow, watch: Watch, attachment: Attachment, { signal }: Call): AsyncIterable<Uint8Array> {
  const gone = (detail: string): Error => fail('MEDIA_MISSING', { path: `${attachment.name ?? attachment.id}: ${detail}` })
  const place = parseFileId(attachment.id)
  if (!place) throw gone('its id is not ours')
  const lock = await client.getMailboxLock(place.mailbox, { readOnly: true })
  try {
    if (!client.mailbox || String(client.mailbox.uidValidity) !== place.validity) throw gone('the mailbox was renumbered')
    const { content } = await client.download(String(place.uid), place.part, { uid: true })
    if (!content) throw gone('the letter was deleted')
    for await (const chunk of content as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted()
      yield chunk
    }
  } finally {
    lock.release()
    // Reading has ended the server's telling of new mail.
    watch.wake()
  }
}

export default email
