import type { InboundMessage, OutboundMessage, Receipt } from '../../contract/messages.ts'
import type { Connection, PlatformManifest } from '../../kinds/platform.ts'
import type { TestContext } from '../rig/test-context.ts'
import { findErrorProblem } from './errors/error-problem.ts'
import { type ContractCase, lacks, type RunOptions, type SetUp, type Stage } from './stage.ts'

/** A file that the world of a platform has. */
export interface WorldFile {
  readonly name: string
  readonly mime: string
  readonly bytes: Uint8Array
}

/** The other side of a platform: a server of the tests and the people on it. What a capability needs has to be there when it is declared. */
export interface PlatformWorld extends SetUp, AsyncDisposable {
  /** Messaging doors: account and conversation in which the bot is reached. */
  readonly account?: string
  readonly conversation?: string
  /** Somebody says this to the bot. */
  receiveOne?(text: string): Promise<void>
  /** The platform offers the last message again. */
  redeliver?(): Promise<void>
  /** Somebody says this where others read it too, to the bot or not. */
  receiveInGroup?(text: string, toBot: boolean): Promise<void>
  /** What the people have read of the bot, in order; an edited message in its last form. */
  sent?(): readonly string[]
  /** The service acknowledges a message, and the people have it a moment later. */
  readonly acknowledgesFirst?: true
  /** `edit`: the service takes an edit of a message that it does not have. */
  readonly blindEdits?: true
  /** `threads`: somebody says this to the bot in a thread, and what the people have read there. */
  receiveInThread?(text: string): Promise<void>
  sentInThread?(): readonly string[]
  /** `fetchMedia`: somebody sends the bot a file. */
  receiveFile?(file: WorldFile): Promise<void>
  /** `media`: the files that the people have got of the bot. */
  files?(): readonly { readonly name?: string; readonly bytes: Uint8Array }[]
  /** `buttons`: somebody presses the button with this label below the last message of the bot; the labels that are left there. */
  press?(label: string): Promise<void>
  buttons?(): readonly string[]
  /** `typing`: where it is shown, if not in `conversation`; how often the people saw that the bot was writing. */
  readonly typingIn?: string
  typings?(): number
  /** `endTyping`: whether people see there that the bot is writing. */
  isTyping?(): boolean
  /** `invitations`: two conversations in which the bot is not; somebody invites it into one; those in which it is. */
  readonly invitedTo?: readonly [string, string]
  invite?(conversation: string): void
  joined?(): readonly string[]
  /** `react`: how many marks of the bot the last message of the people carries. */
  marks?(): readonly string[]
  /** `setCommands`: names in the menu. */
  menu?(): readonly string[]
  /** `findSent`: the next message arrives, but its receipt is lost. */
  loseReceipt?(): void
  /** Request doors: asks the door once, where it listens, and gives what it answered; goes away when the signal fires. */
  request?(text: string, url: string, signal?: AbortSignal): Promise<string>
  /** Makes the next send go wrong: `limit`, `error`, `garbage` or `lose-receipt`. False where this cannot go wrong here. */
  disturb?(what: Disturbance): boolean
  /** Breaks the connection. */
  cut?(): Promise<void>
  /** Credentials that are refused. */
  readonly refused?: SetUp
  /** An address that takes the connection and never answers. */
  readonly silent?: SetUp
}

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

/** What the suite for platforms needs. */
export interface PlatformContractOptions extends RunOptions<'platform'> {
  readonly world: () => Promise<PlatformWorld>
}

export type PlatformStage = Stage<'platform'>

/** Makes one case: a fresh world and a fresh plugin for `act`. */
export type PlatformRule = (name: string, title: string, act: (stage: PlatformStage, world: PlatformWorld) => Promise<void>) => ContractCase

export function declaration({ subject }: Pick<PlatformStage, 'subject'>): PlatformManifest {
  const found = subject.manifest.contributes.platforms.find((platform) => platform.id === subject.contribution)
  if (!found) throw new Error(`${subject.manifest.id} has no platform ${subject.contribution}.`)
  return found
}

/** The year 2001 in milliseconds; in seconds it is far ahead. */
export const earliest = 1e12

export async function connect(stage: PlatformStage, host: TestContext): Promise<Connection> {
  return await stage.within(stage.plugin.entry.connect(host.context, stage.call()), 'connect')
}

export function createMessage(world: PlatformWorld, text: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    key: 'key-1',
    text,
    body: [{ type: 'paragraph', children: [{ type: 'text', text }] }],
    account: world.account ?? '',
    conversation: world.conversation ?? '',
    part: { index: 0, total: 1 },
    ...more,
  }
}

/** Sends and complains unless the receipt says that it arrived; gives the platform's id, empty where that is unknown. */
export async function deliver(stage: PlatformStage, connection: Connection, message: OutboundMessage): Promise<string> {
  return checkReceipt(stage, await stage.within(Promise.resolve(connection.send?.(message, stage.call())), 'send'))
}

export function checkReceipt(stage: PlatformStage, receipt: Receipt | null | undefined, of = 'a send'): string {
  stage.expect(receipt?.status === 'sent' || receipt?.status === 'unknown', `the receipt of ${of} is ${JSON.stringify(receipt)}`)
  if (receipt.status === 'unknown') {
    const problem = findErrorProblem(receipt.error)
    stage.expect(problem === undefined, `the error of a receipt that is unknown ${problem}`)
    return ''
  }
  stage.expect(typeof receipt.platformId === 'string' && receipt.platformId !== '', 'a receipt names no message')
  return receipt.platformId
}

/** What a rule needs of the world; a declared capability that cannot be tried is not proved. */
export function need<Name extends keyof PlatformWorld>(
  stage: PlatformStage,
  world: PlatformWorld,
  name: Name,
): NonNullable<PlatformWorld[Name]> {
  const part = world[name]
  stage.expect(part !== undefined, lacks(String(name)))
  return part as NonNullable<PlatformWorld[Name]>
}

/** The first message that holds `text`, once it has come. */
export async function arrival(stage: PlatformStage, host: TestContext, text: string): Promise<InboundMessage> {
  const find = (): InboundMessage | undefined => host.received.find((one) => one.text.includes(text))
  await stage.until(() => find() !== undefined, `"${text}" did not arrive`)
  return find() as InboundMessage
}
