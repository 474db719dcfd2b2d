import type { Content } from './matrix-answer.ts'
import { type Answer, no, ok } from './matrix-answer.ts'

/** Keys of all devices, and what devices send each other. */
export interface Keys {
  /** Positions grow with each message to a device and each change of a device. */
  position(): number
  /** What is asked below `client/v3`; undefined where it is not about keys. */
  answer(user: string, device: string, path: readonly string[], body: Content): Answer | undefined
  /** What a sync tells a device of it; what was told before `from` is gone. */
  news(user: string, device: string, from: number): Content
  /** Whether the account vouches for the device. */
  isVouched(user: string, device: string): boolean
  /** One-time keys that are left of a device. */
  left(user: string, device: string): number
  /** Takes the one-time keys of a device away, as a crowd of new people does. */
  exhaust(user: string, device: string): void
  /** Messages to the devices of somebody come later. */
  hold(user: string): void
  release(): void
}

interface Device {
  keys: Content | undefined
  readonly oneTime: Map<string, unknown>
  readonly fallback: Map<string, unknown>
}

const record = (value: unknown): Content | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Content) : undefined

interface Message {
  readonly at: number
  readonly to: string
  readonly event: Content
}

interface Directory {
  /** Keys with which accounts vouch for their devices. */
  readonly accounts: Map<string, Content>
  readonly devices: Map<string, Map<string, Device>>
  readonly changes: { readonly at: number; readonly user: string }[]
  readonly inbox: Message[]
  readonly held: Message[]
  holding: string | undefined
  at: number
}

const change = (directory: Directory): number => {
  directory.at += 1
  return directory.at
}

function find({ devices }: Directory, user: string, device: string): Device {
  const own = devices.get(user) ?? new Map<string, Device>()
  devices.set(user, own)
  const one = own.get(device) ?? { keys: undefined, oneTime: new Map<string, unknown>(), fallback: new Map<string, unknown>() }
  own.set(device, one)
  return one
}

function upload(directory: Directory, user: string, device: string, body: Content): Answer {
  const one = find(directory, user, device)
  const named = record(body.device_keys)
  if (named && (named.user_id !== user || named.device_id !== device)) return no(400, 'M_INVALID_PARAM', 'device_keys of another device')
  for (const [id, key] of Object.entries(record(body.one_time_keys) ?? {})) {
    const known = one.oneTime.get(id)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(key))
      return no(400, 'M_UNKNOWN', `One time key ${id} already exists.`)
    one.oneTime.set(id, key)
  }
  for (const [id, key] of Object.entries(record(body.fallback_keys) ?? {})) one.fallback.set(id, key)
  if (named) {
    one.keys = named
    directory.changes.push({ at: change(directory), user })
  }
  return ok({ one_time_key_counts: { signed_curve25519: one.oneTime.size } })
}

function query({ devices, accounts }: Directory, { device_keys }: Content): Answer {
  const wanted = record(device_keys)
  if (!wanted) return no(400, 'M_BAD_JSON', 'device_keys: Field required')
  const ofUser = (user: string): object =>
    Object.fromEntries([...(devices.get(user) ?? [])].flatMap(([device, { keys }]) => (keys ? [[device, keys]] : [])))
  const users = Object.keys(wanted)
  const account = (name: string): object =>
    Object.fromEntries(users.flatMap((user) => (accounts.has(user) ? [[user, accounts.get(user)?.[name.slice(0, -1)]]] : [])))
  const names = ['master_keys', 'self_signing_keys', 'user_signing_keys']
  const ofAccounts = Object.fromEntries(names.map((name) => [name, account(name)]))
  return ok({ device_keys: Object.fromEntries(users.map((user) => [user, ofUser(user)])), failures: {}, ...ofAccounts })
}

/** Other keys for an account are a matter for the person with a password. */
function vouch(directory: Directory, user: string, { auth: _, ...keys }: Content): Answer {
  const known = directory.accounts.get(user)
  if (known && JSON.stringify(known) !== JSON.stringify(keys)) return { status: 401, body: { session: '1', flows: [], params: {} } }
  if (!record(keys.master_key)) return no(400, 'M_BAD_JSON', 'master_key: Field required')
  directory.accounts.set(user, keys)
  directory.changes.push({ at: change(directory), user })
  return ok()
}

function sign(directory: Directory, body: Content): Answer {
  for (const [user, device, value] of pairs(body)) {
    const one = directory.devices.get(user)?.get(device)
    if (!one?.keys) continue
    const theirs = record(record(record(value)?.signatures)?.[user]) ?? {}
    const before = record(one.keys.signatures) ?? {}
    one.keys = { ...one.keys, signatures: { ...before, [user]: { ...record(before[user]), ...theirs } } }
    directory.changes.push({ at: change(directory), user })
  }
  return ok({ failures: {} })
}

function take({ oneTime, fallback }: Device): Content | undefined {
  const [first] = oneTime
  if (first) oneTime.delete(first[0])
  const [id, key] = first ?? [...fallback][0] ?? []
  return id === undefined ? undefined : { [id]: key }
}

/** Names of people and their devices, with what is there for each of them. */
const pairs = (all: Content): readonly (readonly [user: string, device: string, value: unknown])[] =>
  Object.entries(all).flatMap(([user, own]) => Object.entries(record(own) ?? {}).map(([device, value]) => [user, device, value] as const))

function claim(directory: Directory, { one_time_keys }: Content): Answer {
  const wanted = record(one_time_keys)
  if (!wanted) return no(400, 'M_BAD_JSON', 'one_time_keys: Field required')
  const given: Record<string, Record<string, unknown>> = {}
  for (const [user, device] of pairs(wanted)) {
    const key = take(find(directory, user, device))
    if (key) given[user] = { ...given[user], [device]: key }
  }
  return ok({ one_time_keys: given, failures: {} })
}

function send(directory: Directory, sender: string, type: string, { messages }: Content): Answer {
  const all = record(messages)
  if (!all) return no(400, 'M_MISSING_PARAM', 'Missing params: messages')
  for (const [user, device, content] of pairs(all)) {
    const targets = device === '*' ? [...(directory.devices.get(user)?.keys() ?? [])] : [device]
    for (const target of targets) {
      const message = { at: change(directory), to: `${user} ${target}`, event: { type, sender, content } }
      const box = directory.holding === user ? directory.held : directory.inbox
      box.push(message)
    }
  }
  return ok()
}

export function createKeys(wake: () => void): Keys {
  const directory: Directory = { accounts: new Map(), devices: new Map(), changes: [], inbox: [], held: [], holding: undefined, at: 0 }
  const { inbox, held, changes } = directory
  const run = (user: string, device: string, [first, second = '']: readonly string[], body: Content): Answer | undefined => {
    if (first === 'sendToDevice') return send(directory, user, second, body)
    if (first !== 'keys') return undefined
    if (second === 'device_signing') return vouch(directory, user, body)
    if (second === 'signatures') return sign(directory, body)
    if (second === 'upload') return upload(directory, user, device, body)
    return second === 'query' ? query(directory, body) : second === 'claim' ? claim(directory, body) : undefined
  }
  return {
    position: () => directory.at,
    answer: (user, device, path, body) => {
      const before = directory.at
      const answer = run(user, device, path, body)
      if (directory.at > before) wake()
      return answer
    },
    news: (user, device, from) => {
      const own = inbox.filter(({ to }) => to === `${user} ${device}`)
      for (const one of own) if (one.at <= from) inbox.splice(inbox.indexOf(one), 1)
      return {
        to_device: { events: own.filter(({ at }) => at > from).map(({ event }) => event) },
        device_lists: { changed: [...new Set(changes.filter(({ at }) => at > from).map((one) => one.user))], left: [] },
        device_one_time_keys_count: { signed_curve25519: find(directory, user, device).oneTime.size },
        device_unused_fallback_key_types: ['signed_curve25519'],
      }
    },
    isVouched: (user, device) => {
      const signing = record(record(directory.accounts.get(user)?.self_signing_key)?.keys) ?? {}
      const signed = record(record(find(directory, user, device).keys?.signatures)?.[user]) ?? {}
      return Object.keys(signing).some((key) => key in signed)
    },
    left: (user, device) => find(directory, user, device).oneTime.size,
    exhaust: (user, device) => find(directory, user, device).oneTime.clear(),
    hold: (user) => {
      directory.holding = user
    },
    release: () => {
      for (const one of held.splice(0)) inbox.push({ ...one, at: change(directory) })
      directory.holding = undefined
      wake()
    },
  }
}
