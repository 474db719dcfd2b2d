import type { Log, State } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { OlmMachine, RequestType } from '@matrix-org/matrix-sdk-crypto-wasm'
import * as z from 'zod/mini'
import { type KeyStore, openKeyStore } from './key-store.ts'

/** What the machine needs of the outside. */
export interface Outside {
  readonly state: State
  readonly user: string
  readonly device: string
  readonly log: Pick<Log, 'warn'>
  /** Puts a question to the server; gives the answer as it came. */
  ask(method: 'POST' | 'PUT', path: readonly string[], body: object): Promise<string>
  /** Everybody who reads in a room. */
  members(room: string): Promise<readonly string[]>
}

/** What the server tells beside rooms. */
export interface Changes {
  readonly events: readonly unknown[]
  readonly changed: readonly string[]
  readonly left: readonly string[]
  /** One-time keys that are left on the server. */
  readonly counts: Readonly<Record<string, number>>
  readonly fallbacks: readonly string[] | undefined
}

export interface Opened {
  readonly type: string
  readonly content: Readonly<Record<string, unknown>>
}

/** One device: its keys, and those of the others. */
export interface Machine {
  /** Resolves when the keys that came are written down. */
  receive(changes: Changes): Promise<void>
  /** Undefined where the key has not arrived. */
  decrypt(room: string, event: object): Promise<Opened | undefined>
  /** Everybody in the room can read it: their devices get the key first. */
  encrypt(room: string, type: string, content: object): Promise<Readonly<Record<string, unknown>>>
  close(): Promise<void>
}

const anything = z.record(z.string(), z.unknown())
const opened = z.object({ type: z.string(), content: anything })
const answered = z.object({
  device_keys: z.optional(z.record(z.string(), z.record(z.string(), z.object({ keys: z.record(z.string(), z.string()) })))),
})

type Library = typeof import('@matrix-org/matrix-sdk-crypto-wasm')
type Sent = {
  readonly id: string | undefined
  readonly type: RequestType
  readonly body: string
  readonly event_type?: string
  readonly txn_id?: string
}

/** Undefined where the server has other keys of this device than we: they are lost, and others would go on with them. */
export async function openMachine({ state, user, device, ask, members, log }: Outside): Promise<Machine | undefined> {
  const library = await import('@matrix-org/matrix-sdk-crypto-wasm')
  await library.initAsync()
  const { UserId, RoomId, DeviceLists, EncryptionSettings, DecryptionSettings, TrustRequirement } = library
  const store = await openKeyStore(state, `keys:${user}/${device}`)
  const machine = await library.OlmMachine.initialize(new UserId(user), new library.DeviceId(device), store.name)
  const close = async (): Promise<void> => {
    machine.close()
    await store.close()
  }
  if (store.isNew && (await isOfOthers(machine, device, await ask('POST', ['keys', 'query'], { device_keys: { [user]: [device] } })))) {
    await close()
    return undefined
  }

  const post = createPost(library, machine, store, ask)
  const { send, sendAll } = post
  // The library does not keep two things apart that go on at once.
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const next = last.then(run)
    last = next.catch(() => undefined)
    return next
  }
  const ids = (users: readonly string[]) => users.map((one) => new UserId(one))
  await inTurn(async () => {
    await sendAll()
    await vouch(library, machine, post, log)
  })
  return {
    receive: ({ events, changed, left, counts, fallbacks }) =>
      inTurn(async () => {
        const lists = new DeviceLists(ids(changed), ids(left))
        const free = fallbacks && new Set(fallbacks)
        await machine.receiveSyncChanges(JSON.stringify(events), lists, new Map(Object.entries(counts)), free)
        await sendAll()
      }),
    decrypt: (room, event) =>
      inTurn(async () => {
        const settings = new DecryptionSettings(TrustRequirement.Untrusted)
        try {
          const { event: plain } = await machine.decryptRoomEvent(JSON.stringify({ ...event, room_id: room }), new RoomId(room), settings)
          return opened.parse(JSON.parse(plain))
        } catch (error) {
          // Anybody can send what is no message: only a library that is out of order is more than that.
          if (error instanceof Error && error.name === 'RuntimeError') throw error
          return undefined
        } finally {
          await store.flush()
        }
      }),
    encrypt: (room, type, content) =>
      inTurn(async () => {
        const users = await members(room)
        await machine.updateTrackedUsers(ids(users))
        await sendAll()
        const claim = await machine.getMissingSessions(ids(users))
        if (claim) await send(claim)
        // Before every message: without it the library ends the process when the key has served its time.
        for (const request of await machine.shareRoomKey(new RoomId(room), ids(users), new EncryptionSettings())) await send(request)
        const sealed = anything.parse(JSON.parse(await machine.encryptRoomEvent(new RoomId(room), type, JSON.stringify(content))))
        await store.flush()
        return sealed
      }),
    close: () => inTurn(close),
  }
}

async function isOfOthers({ identityKeys, userId }: OlmMachine, device: string, reply: string): Promise<boolean> {
  const theirs = answered.parse(JSON.parse(reply)).device_keys?.[userId.toString()]?.[device]?.keys[`ed25519:${device}`]
  return theirs !== undefined && theirs !== identityKeys.ed25519.toBase64()
}

/**
 * The account vouches for this device, where nobody has done so: many clients write to no other devices. Where a person has made the keys of
 * the account elsewhere, it is the person's to do.
 */
async function vouch({ UserId, DeviceId }: Library, machine: OlmMachine, { ask, send }: Post, log: Outside['log']): Promise<void> {
  const [user, device] = [machine.userId.toString(), machine.deviceId.toString()]
  // What is not freed keeps the databases open for ever.
  const own = await machine.getDevice(new UserId(user), new DeviceId(device))
  const isDone = own?.isCrossSignedByOwner() === true
  own?.free()
  const identity = await machine.getIdentity(new UserId(user))
  identity?.free()
  const { hasMaster, hasSelfSigning } = await machine.crossSigningStatus()
  if (isDone || (identity && !hasSelfSigning)) return
  const { uploadSigningKeysRequest, uploadSignaturesRequest } = await machine.bootstrapCrossSigning(!hasMaster)
  try {
    await ask('POST', ['keys', 'device_signing', 'upload'], JSON.parse(uploadSigningKeysRequest.body))
    await send(uploadSignaturesRequest)
  } catch (error) {
    if (!isAgentError(error, 'SEND_REFUSED')) throw error
    log.warn('the server does not let the account vouch for this device; clients show it as not verified', { reason: String(error) })
  }
}

interface Post {
  readonly ask: Outside['ask']
  send(request: Sent): Promise<void>
  sendAll(): Promise<void>
}

/** Carries what the library wants to know and to say. */
function createPost({ RequestType }: Library, machine: OlmMachine, store: KeyStore, askServer: Outside['ask']): Post {
  const paths: Readonly<Record<number, (request: Sent) => readonly string[]>> = {
    [RequestType.KeysUpload]: () => ['keys', 'upload'],
    [RequestType.KeysQuery]: () => ['keys', 'query'],
    [RequestType.KeysClaim]: () => ['keys', 'claim'],
    [RequestType.SignatureUpload]: () => ['keys', 'signatures', 'upload'],
    [RequestType.ToDevice]: ({ event_type = '', txn_id = '' }) => ['sendToDevice', event_type, txn_id],
  }
  // A key that was used must not be used again after a crash.
  const ask: Outside['ask'] = async (...question) => {
    await store.flush()
    return await askServer(...question)
  }
  const send = async (request: Sent): Promise<void> => {
    const path = paths[request.type]?.(request)
    // What is left are backups and talks about verification, which we do not begin.
    if (!path) return
    const reply = await ask(request.type === RequestType.ToDevice ? 'PUT' : 'POST', path, JSON.parse(request.body))
    if (request.id !== undefined) await machine.markRequestAsSent(request.id, request.type, reply)
  }
  const sendAll = async (): Promise<void> => {
    for (const request of await machine.outgoingRequests()) await send(request as Sent)
    await store.flush()
  }
  return { ask, send, sendAll }
}
