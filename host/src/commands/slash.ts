import type { ApprovalChoice, CommandRequest, ReasoningEffort } from '@agent/plugin-sdk'
import type { Pressure } from '#agent/context/session-length.ts'
import type { RunningChild } from '#agent/delegation/children.ts'
import type { LazyJobs } from '#agent/jobs/make-jobs.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import type { PriceList } from '#models/catalog/price-list.ts'
import type { HostSkills } from '#skills/open-skills.ts'
import type { JobPerson } from '#store/jobs.ts'
import type { Session, SessionSummary, Sessions } from '#store/sessions.ts'
import type { UsageLedger } from '#store/usage.ts'
import type { MemoryDesk } from './answers/answer-memory.ts'
import type { RollbackDesk } from './answers/answer-rollback.ts'
import type { WritingDesk } from './answers/answer-skills.ts'

/** Where a command can be given. */
export type SlashSurface = 'cli' | 'gateway'

/** How much the model thinks, and whether its thinking is shown. */
export interface ReasoningSetting {
  readonly effort: ReasoningEffort | undefined
  readonly show: boolean
}

/** The conversation on a platform in which the command was given. */
export interface ChatDoor {
  /** Who gave it, and what they may do. */
  whoAmI(): string
  /** Answers the oldest open approval; undefined when nothing is asked. */
  decide(choice: ApprovalChoice): Promise<string | undefined>
  /** Makes this conversation the one in which the agent reports unasked. */
  setHome(): Promise<string>
  mayUse(command: SlashCommand): boolean
}

/** A term, and what is said of it. */
export type TermRow = readonly [term: string, text: string]

/** What the model hears beside a message, and the store does not keep. */
export interface AskedMore {
  readonly instructions?: string
}

/** Sessions that a conversation of a platform has had, the latest first. */
export interface EarlierSessions {
  list(limit: number): Promise<readonly SessionSummary[]>
  /** Goes on with one of them, and says with which. */
  goOn(reference: string): Promise<string>
}

/** The door behind which a person gave the command. */
export interface SlashDoor {
  readonly surface: SlashSurface
  /** Whose memory the conversation may use. */
  readonly owner: string
  /** Where later answers go: the door, and the key of its session. Absent at the terminal. */
  readonly origin?: { readonly door: string; readonly key: string; readonly people?: readonly JobPerson[] }
  say(text: string): void
  /** Says a list, the texts below each other; absent where nobody knows how wide a letter is. */
  sayRows?(rows: readonly TermRow[]): void
  /** What goes on in this conversation. */
  status(): string | Promise<string>
  /** Id of the session that is going on; undefined before its first message. */
  session(): string | undefined
  /** Ids of the sessions that something is answered in now, also before the first of it is stored. */
  working(): readonly string[]
  /** Ends the session that is going on; the next message starts another. */
  startNew(title: string | undefined): Promise<void>
  /** Interrupts what runs; false when nothing does. */
  interrupt(): boolean
  /** Keeps a title for a session that has no message yet; false where that cannot be done. */
  keepTitle(title: string): boolean
  reasoning(): ReasoningSetting
  setReasoning(setting: ReasoningSetting): void | Promise<void>
  /** Says something to the agent, as the message of the person who gave the command; `instructions` are for this turn. */
  ask(text: string, more?: AskedMore): void | Promise<void>
  /** Waits for what `command` does, which can be interrupted. */
  run(command: string, work: (signal: AbortSignal) => Promise<string>): Promise<string>
  /** Lets the agent work on something beside the conversation, which hears of the result. */
  startBackground(prompt: string): void
  /** Goes on with another session, and says with which; absent where the conversation always has the same. */
  resume?(reference: string): Promise<string>
  /** The sessions that this conversation has had, where it may go on with no other. */
  readonly earlier?: EarlierSessions
  /** Follows the settings again, where flags named another model for this conversation. */
  followModel?(): void
  /** Absent at the terminal. */
  readonly chat?: ChatDoor
  /** Ends the conversation; absent where there is nothing to leave. */
  leave?(): void
}

/** What can be said to the gateway about its platforms, from whichever process. */
export interface PlatformControl {
  /** Undefined where no gateway runs. */
  states(): readonly { readonly platform: string; readonly state: string }[] | undefined
  wish(platform: string, wish: 'paused' | 'resumed'): Promise<void>
}

export interface ModelReply {
  /** Providers, and what each needs; told before what is said. */
  readonly rows?: readonly TermRow[]
  readonly said: string
  /** Another model answers from now on. */
  readonly kept: boolean
}

/** What slash commands want of skills. */
export type SkillDesk = Pick<HostSkills, 'known' | 'view' | 'bundle'>

export interface SlashServices {
  readonly jobs: LazyJobs
  readonly memory: MemoryDesk
  readonly skills: SkillDesk
  readonly skillWriting: WritingDesk
  readonly checkpoints: RollbackDesk
  readonly sessions: Sessions
  readonly usage: Pick<UsageLedger, 'since'>
  readonly prices: PriceList
  readonly catalog: Catalog
  readonly version: string
  /** Milliseconds since 1970. */
  now(): number
  /** Switches a plugin for sessions to come. */
  enablePlugin(plugin: string, enabled: boolean): Promise<void>
  readonly platforms: PlatformControl
  /** Keeps where the agent reports on a platform. Answers with the variable that says otherwise, if one does. */
  setHome(platform: string, target: string): Promise<string | undefined>
  /** Lists the providers, or lets one answer from now on; answers with what `agent model` would say. */
  model(args: string, surface: SlashSurface, signal: AbortSignal): Promise<ModelReply>
  /** Makes a stored session shorter, and says what came of it. */
  compress(session: string, focus: string, signal: AbortSignal): Promise<string>
  /** Lets `work` have a stored session while no turn answers in it; SESSION_WAITING where one does. */
  alone<Value>(session: string, work: (stored: Session) => Promise<Value>): Promise<Value>
  /** How long a session is for the model that answers now; undefined where that is not known. */
  pressure(session: string): Promise<Pressure | undefined>
  /** Says what is new of the program, or brings it; answers with what `agent update` would say. */
  update(what: 'check' | 'bring', signal: AbortSignal): Promise<string>
  /** The child agents that work now for a session. */
  agents(session: string): readonly RunningChild[]
  /** Connects the servers of tools again, and says what became of each. */
  reloadTools(signal: AbortSignal): Promise<string>
  /** Lets the plugin run its command. */
  runCommand(contribution: Contribution<'commands'>, request: CommandRequest, signal: AbortSignal): Promise<string>
}

export interface SlashCall {
  readonly args: string
  readonly door: SlashDoor
  readonly services: SlashServices
}

export interface SlashCommand {
  readonly name: string
  readonly aliases: readonly string[]
  /** How its arguments are written, empty when it takes none. */
  readonly args: string
  readonly summary: string
  readonly surfaces: readonly SlashSurface[]
  /** On a platform only for people whom the owner has named as admins. */
  readonly adminOnly?: true
  /** On a platform only for people whom the owner has let in by name. */
  readonly knownOnly?: true
  /** Asks the agent: on a platform it waits for its turn, like a message. */
  readonly asks?: true
  run(call: SlashCall): void | Promise<void>
}

/** A command with what was said behind its name. */
export interface ParsedSlash {
  readonly command: SlashCommand
  readonly args: string
}

/**
 * The command that a line gives, `/Name args`; undefined where it is simply something said. One that does not exist becomes a command that names
 * the nearest, so that no slip of the fingers is asked of the model. A name with a further slash is a path, and a path is text. On platforms whose own menus take the slash away,
 * `!name` is a known command too. `skills` are looked at where no command has the name.
 */
export function parseSlash(
  line: string,
  table: readonly SlashCommand[],
  surface: SlashSurface,
  skills: () => readonly SlashCommand[] = () => [],
): ParsedSlash | undefined {
  if (line.trim() === '/') return { command: onlySaying('', 'A slash alone is no command. /help lists them.'), args: '' }
  const match = /^([/!])([a-z][a-z0-9_-]*)(?:@\S+)?(?:\s+([\s\S]*))?$/i.exec(line.trim())
  const sign = match?.[1]
  if (!match || (sign === '!' && surface === 'cli')) return undefined
  const name = (match[2] ?? '').toLowerCase()
  const offered = table.filter((command) => command.surfaces.includes(surface))
  const isNamed = (each: SlashCommand): boolean => each.name === name || each.aliases.includes(name)
  const command = offered.find(isNamed)
  if (command) return { command, args: mendDashes(match[3] ?? '').trim() }
  if (sign === '!') return undefined
  if (table.some(isNamed))
    return { command: onlySaying(name, `/${name} is for ${elsewhere[surface]} only. /help lists what is here.`), args: '' }
  const others = skills()
  const skill = others.find((each) => each.name === name.replaceAll('_', '-'))
  if (skill) return { command: skill, args: (match[3] ?? '').trim() }
  const nearest = nearestName(
    name,
    [...offered, ...others].map((each) => each.name),
  )
  const way = nearest ? `Did you mean /${nearest}?` : '/help lists them.'
  return { command: onlySaying(name, `There is no command /${name}. ${way}`), args: '' }
}

/** Where a command is that is not here. */
const elsewhere: { readonly [Surface in SlashSurface]: string } = { cli: 'messaging platforms', gateway: 'the terminal' }

function onlySaying(name: string, sentence: string): SlashCommand {
  return { name, aliases: [], args: '', summary: '', surfaces: [], run: ({ door }) => door.say(sentence) }
}

/** Phones write a long dash where somebody types two. */
function mendDashes(args: string): string {
  return args.replace(/(^|\s)—(?=[a-z])/gi, '$1--')
}
