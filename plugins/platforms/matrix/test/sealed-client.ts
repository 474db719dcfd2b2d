import type { State, Wire } from '@agent/plugin-sdk'
import { formatPath } from '../src/api.ts'
import { decryptFile, encryptFile } from '../src/encryption/files.ts'
import { openMachine } from '../src/encryption/machine.ts'
import type { SynapseClient } from './synapse-client.ts'

type Content = Readonly<Record<string, unknown>>

/** What somebody said in an encrypted room, as a client of hers shows it. */
export interface Heard {
  readonly id: string
  readonly isSealed: boolean
  /** Undefined where it cannot be opened. */
  readonly content: Content | undefined
  /** The message that this is another form of. */
  readonly edits: string | undefined
}

/** A device of Ann in an encrypted room. */
export interface SealedClient {
  say(room: string, content: Content): Promise<string>
  sayFile(room: string, name: string, text: string): Promise<string>
  /** Everything that somebody said there, oldest first. */
  hear(room: string, sender: string): Promise<readonly Heard[]>
  /** The text of a file that was sent encrypted. */
  open(content: Content): Promise<string>
  /** Devices of somebody with their keys. */
  keysOf(user: string): Promise<readonly string[]>
  close(): Promise<void>
}

interface Event {
  readonly type: string
  readonly sender: string
  readonly event_id: string
  readonly content: Content
}

interface News {
  readonly next_batch: string
  readonly to_device?: { readonly events?: readonly unknown[] }
  readonly device_lists?: { readonly changed?: readonly string[]; readonly left?: readonly string[] }
  readonly device_one_time_keys_count?: Readonly<Record<string, number>>
  readonly device_unused_fallback_key_types?: readonly string[]
}

export async function openSealedClient({ ask, upload, download, user, device }: SynapseClient): Promise<SealedClient> {
  const machine = await openMachine({
    ...{ user, device, state: keepNothing(), log: { warn: () => undefined } },
    ask: async (method, path, body) => JSON.stringify(await ask(method, formatPath(...path), body)),
    members: async (room) => Object.keys((await ask('GET', formatPath('rooms', room, 'joined_members'))).joined ?? {}),
  })
  if (!machine) throw new Error(`${user} has a device ${device} already.`)
  const opened = new Map<string, Content>()
  let since: string | undefined
  let said = 0
  const follow = async (): Promise<void> => {
    const news = (await ask('GET', `${formatPath('sync')}?timeout=0${since === undefined ? '' : `&since=${since}`}`)) as unknown as News
    const { to_device, device_lists, device_one_time_keys_count, device_unused_fallback_key_types: fallbacks } = news
    const { changed = [], left = [] } = device_lists ?? {}
    await machine.receive({ events: to_device?.events ?? [], changed, left, counts: device_one_time_keys_count ?? {}, fallbacks })
    since = news.next_batch
  }
  const openOne = async (room: string, event: Event): Promise<Content | undefined> => {
    const content = opened.get(event.event_id) ?? (await machine.decrypt(room, event))?.content
    if (content) opened.set(event.event_id, content)
    return content
  }
  const say: SealedClient['say'] = async (room, content) => {
    await follow()
    said += 1
    const sealed = await machine.encrypt(room, 'm.room.message', { msgtype: 'm.text', 'm.mentions': {}, ...content })
    return String((await ask('PUT', formatPath('rooms', room, 'send', 'm.room.encrypted', `${device}-${said}`), sealed)).event_id)
  }
  return {
    say,
    sayFile: async (room, name, text) => {
      const { bytes, file } = encryptFile(Buffer.from(text))
      const info = { mimetype: 'text/plain', size: bytes.length }
      return await say(room, { msgtype: 'm.file', body: name, file: file(await upload(bytes)), info })
    },
    hear: async (room, sender) => {
      await follow()
      const { chunk } = (await ask('GET', `${formatPath('rooms', room, 'messages')}?dir=b&limit=200`)) as {
        readonly chunk: readonly Event[]
      }
      const theirs = chunk.filter((event) => event.sender === sender && ['m.room.message', 'm.room.encrypted'].includes(event.type))
      const heard: Heard[] = []
      for (const event of theirs.toReversed()) {
        const isSealed = event.type === 'm.room.encrypted'
        const { rel_type, event_id } = (event.content['m.relates_to'] ?? {}) as Readonly<Record<string, string>>
        const content = isSealed ? await openOne(room, event) : event.content
        heard.push({ id: event.event_id, isSealed, content, edits: rel_type === 'm.replace' ? event_id : undefined })
      }
      return heard
    },
    open: async ({ file }) => {
      const { url, key, iv, hashes } = file as { url: string; key: { k: string }; iv: string; hashes: { sha256: string } }
      const pieces: Uint8Array[] = []
      const sealed = await download(url)
      for await (const piece of decryptFile(once(sealed), { key: key.k, iv, sha256: hashes.sha256 })) pieces.push(piece)
      return Buffer.concat(pieces).toString()
    },
    keysOf: async (whose) => {
      const { device_keys } = await ask('POST', formatPath('keys', 'query'), { device_keys: { [whose]: [] } })
      const devices = (device_keys as Readonly<Record<string, Readonly<Record<string, { readonly keys: object }>>>>)[whose] ?? {}
      return Object.values(devices).map(({ keys }) => JSON.stringify(keys))
    },
    close: machine.close,
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

function keepNothing(): State {
  const kept = new Map<string, Wire>()
  return {
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    delete: async (key) => void kept.delete(key),
  }
}
