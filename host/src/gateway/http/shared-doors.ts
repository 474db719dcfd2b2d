import { fail } from '@agent/plugin-sdk/errors'
import { isLoopback } from '#kernel/egress/loopback.ts'
import { createGuest } from './guest.ts'
import { type Listener, type ListenerOptions, openListener, refuseOpen } from './http.ts'
import { errorReply } from './http-error.ts'
import { callbackDoor, type OpenDoor } from './open-door.ts'

export interface SharedDoors {
  /** Of the profile whose hosts and ports they are. */
  readonly own: OpenDoor
  /** Of another profile: its doors answer below `/p/<profile>` of the first one's. */
  of(profile: string): OpenDoor
  /** Closes what only the others used. */
  close(): Promise<void>
}

type Admit = ListenerOptions['admit']

/** A listener, and who answers what is not for another profile: nobody while only others use it. */
interface Door {
  readonly listener: Listener
  own: Admit | undefined
}

/** Who answers for another profile. */
interface Lodger extends Pick<ListenerOptions, 'admit' | 'open' | 'log'> {}

/** Lets several gateways listen at the addresses of the first one. `callbacks` is where its callback listener is. */
export function createSharedDoors(callbacks: Pick<ListenerOptions, 'host' | 'port'>): SharedDoors {
  const doors = new Map<string, Door>()
  const guests = new Map<string, Lodger>()
  const open = async (name: string, options: ListenerOptions, own: Admit | undefined): Promise<Door> => {
    const asked: { door?: Door } = {}
    const admit: Admit = async (head, call) => {
      const below = readPrefix(head.url)
      if (!below) return asked.door?.own?.(head, call) ?? refuse(`page ${head.url.slice(0, 200)}`)
      const guest = guests.get(keyOf(name, below.profile))
      if (!guest || isExposed(guest, options)) return refuse(`profile ${below.profile.slice(0, 64)} here`)
      return guest.admit({ ...head, url: below.url }, call)
    }
    asked.door = { own, listener: await openListener({ ...options, admit }) }
    doors.set(name, asked.door)
    for (const [key, guest] of guests)
      if (key.startsWith(keyOf(name, '')) && isExposed(guest, options))
        guest.log.error('nobody is let in: others reach the address now, and nothing proves who asks', { host: options.host })
    return asked.door
  }
  const close = async (name: string, door: Door): Promise<void> => {
    if (doors.get(name) === door) doors.delete(name)
    await door.listener.close()
  }
  let last: Promise<unknown> = Promise.resolve()
  /** One after the other: profiles open side by side, and a port is opened once. */
  const inTurn = (look: () => Promise<Door>): Promise<Door> => {
    const next = last.then(look)
    last = next.catch(() => undefined)
    return next
  }
  const openOwn = async (name: string, options: ListenerOptions): Promise<Door> => {
    const known = doors.get(name)
    if (!known || known.own) return open(name, options, options.admit)
    // Others were there before it.
    known.own = options.admit
    return known
  }
  const findFor = async (name: string, options: ListenerOptions): Promise<Door> => {
    const known = doors.get(name)
    if (known) return known
    if (name === callbackDoor) return open(name, { ...options, ...callbacks }, undefined)
    throw fail('PLATFORM_UNREACHABLE', { platform: name, detail: 'it answers where that of the default profile listens, which does not' })
  }
  return {
    own: async (name, options) => {
      const door = await inTurn(() => openOwn(name, options))
      return { ...door.listener, close: () => close(name, door) }
    },
    of: (profile) => async (name, options) => {
      const door = await inTurn(() => findFor(name, options))
      // The first profile may have moved since.
      const now = (): Listener => doors.get(name)?.listener ?? door.listener
      refuseOpen({ host: door.listener.host, open: options.open })
      const guest = createGuest(options)
      const lodger: Lodger = { admit: guest.admit, open: options.open, log: options.log }
      const key = keyOf(name, profile)
      guests.set(key, lodger)
      return {
        get host() {
          return now().host
        },
        get port() {
          return now().port
        },
        get url() {
          return `${now().url}/p/${profile}`
        },
        close: async () => {
          if (guests.get(key) === lodger) guests.delete(key)
          await guest.close()
        },
      }
    },
    close: async () => void (await Promise.all([...doors].map(([name, door]) => close(name, door)))),
  }
}

const keyOf = (door: string, profile: string): string => `${door} ${profile}`

/** The first profile may listen elsewhere than where the other one was let in. */
const isExposed = ({ open = false }: Lodger, { host }: Pick<ListenerOptions, 'host'>): boolean => open && !isLoopback(host)

const refuse = (what: string): ReturnType<typeof errorReply> => errorReply(fail('HTTP_NOT_FOUND', { what }))

/** `/p/work/v1/models?x` is `/v1/models?x` of work. */
function readPrefix(url: string): { readonly profile: string; readonly url: string } | undefined {
  const [, profile, rest = ''] = /^\/p\/([^/?]+)(.*)$/s.exec(url) ?? []
  return profile === undefined ? undefined : { profile, url: rest.startsWith('/') ? rest : `/${rest}` }
}
