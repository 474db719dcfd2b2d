import type {
  Accepted,
  Connection,
  InboundMessage,
  OutboundMessage,
  Platform,
  PlatformContext,
  PlatformManifest,
  Receipt,
} from '@agent/plugin-sdk'

/** A platform as its author wrote it becomes one that breaks a promise. */
export type Seed = (sound: Platform) => Platform

/** What a platform declares, and what its manifest does not say. */
export interface Declared extends Pick<PlatformManifest, 'door' | 'reception' | 'capabilities' | 'limits'> {
  /** Several people can talk to the bot in one place. */
  readonly groups: boolean
  /** It asks for a network, and so waits for somebody when it connects. */
  readonly waits: boolean
  /** Its variables that have to be set, and those that are secret. */
  readonly required: readonly string[]
  readonly secret: readonly string[]
}

/** One promise of the contract that is broken. */
export interface PromiseFault {
  /** What the promise is about: faults of each take turns. */
  readonly about: 'inbound' | 'outbound' | 'method' | 'life' | 'request'
  readonly name: string
  /** What happens, other than it was promised. */
  readonly instead: string
  readonly applies: (declared: Declared) => boolean
  readonly seed: Seed
}

export type FaultRow = readonly [name: string, instead: string, applies: PromiseFault['applies'], seed: Seed]

export function rowsOf(about: PromiseFault['about'], rows: readonly FaultRow[]): readonly PromiseFault[] {
  return rows.map(([name, instead, applies, seed]) => ({ about, name, instead, applies, seed }))
}

/** Other parts of the context, made for each connection. */
export function alterContext(change: (context: PlatformContext) => Partial<PlatformContext>): Seed {
  return (sound) => ({ connect: (context, call) => sound.connect({ ...context, ...change(context as PlatformContext) }, call) })
}

/** Other methods of the connection, made for each connection. */
export function alterConnection(change: (sound: Connection, context: PlatformContext) => Partial<Connection>): Seed {
  return (sound) => ({
    connect: async (context, call) => {
      const connection = await sound.connect(context, call)
      return { ...connection, ...change(connection, context as PlatformContext) }
    },
  })
}

type Hand = PlatformContext['receive']

/** What comes in is handed in in another way; `open` begins for each connection. */
export function alterReceive(open: () => (message: InboundMessage, hand: Hand) => Promise<Accepted>): Seed {
  return alterContext(({ receive }) => {
    const act = open()
    return { receive: (message) => act(message, receive) }
  })
}

/** What comes in is told in another way. */
export function alterMessage(change: (message: InboundMessage) => InboundMessage): Seed {
  return alterReceive(() => (message, hand) => hand(change(message)))
}

type Send = NonNullable<Connection['send']>

/** What goes out goes in another way; `open` begins for each connection. */
export function alterSend(
  open: () => (message: OutboundMessage, send: (other: OutboundMessage) => Promise<Receipt>) => Promise<Receipt>,
): Seed {
  return alterConnection(({ send }) => {
    const act = open()
    const through: Send = async (message, call) => await act(message, async (other) => await (send as Send)(other, call))
    return { send: through }
  })
}

/** What is told of a send is something else. */
export function alterReceipt(change: (receipt: Receipt, message: OutboundMessage) => Receipt): Seed {
  return alterSend(() => async (message, send) => change(await send(message), message))
}

export const always = (): boolean => true
export const messaging = ({ door }: Declared): boolean => door === 'messaging'
export const inGroups = ({ groups }: Declared): boolean => groups
export const continuous = ({ reception }: Declared): boolean => reception === 'continuous'

/** Applies where a capability is declared. */
export function needs(...names: readonly (keyof Declared['capabilities'])[]): PromiseFault['applies'] {
  return ({ capabilities }) => names.every((name) => capabilities[name])
}

/** True at the time with this number, from 1. */
export function atTime(number: number): () => boolean {
  let count = 0
  return () => {
    count += 1
    return count === number
  }
}
