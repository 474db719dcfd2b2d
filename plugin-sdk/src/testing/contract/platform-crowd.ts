import type { SetUp } from './stage.ts'

/** What goes wrong between a platform and the gateway. */
export type Disturbance =
  /** Every connection breaks. */
  | 'cut'
  /** Connections stay open and carry nothing more, until the next `cut` or `calm`. */
  | 'half-open'
  /** The next answer comes late, by a second or two. */
  | 'slow'
  /** The next send is refused for haste, with a short time to wait. */
  | 'limit'
  /** The next send is answered with an error of the server, and does not arrive. */
  | 'error'
  /** The next send is answered with bytes that mean nothing, and does not arrive. */
  | 'garbage'
  /** The next send arrives, and its receipt is lost. */
  | 'lose-receipt'
  /** The newest message is offered again. */
  | 'repeat'

/** A platform with many people on it, who talk to the bot while things go wrong. Each has a direct conversation. */
export interface PlatformCrowd extends SetUp, AsyncDisposable {
  /** How many there can be; 20 where nothing is said. */
  readonly people?: number
  /** Told where the gateway listens, when the platform calls it. */
  listening?(url: string): void
  /** Somebody says this; the platform offers it until it is taken, unless it keeps nothing. */
  say(person: number, text: string): void
  /** What somebody has read of the bot, in order; an edited message in its last form. */
  heard(person: number): readonly string[]
  /** False while something that was said waits outside of the gateway; absent where the platform keeps nothing. */
  isTaken?(): boolean
  /** How often a gateway has connected, or has said in another way that it is there. */
  connections(): number
  /** False where this cannot go wrong here. */
  disturb(what: Disturbance): boolean
  /** Nothing goes wrong from now on. */
  calm(): void
}
