import type { InputPart } from '@agent/plugin-sdk'
import type { AskedMore, ParsedSlash, ReasoningSetting } from '#commands/slash.ts'
import type { ModelWish } from '#models/select.ts'
import type { ApprovalMode } from '#tools/tool-turn.ts'
import type { EventFrame, RpcMethods, SessionEvent, ShownFile } from '../protocol.ts'
import type { ChatGround } from './chat-ground.ts'
import type { ChatJournal } from './chat-journal.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import { createQuestions, type SessionQuestions } from './open-questions.ts'

export type Watcher = (frame: EventFrame) => void
export type Submitted = RpcMethods['prompt.submit']['result']

export type ChatEntry =
  | {
      readonly type: 'prompt'
      readonly id: string
      readonly text: string
      readonly ordinal: number
      /** What is said in place of the text. */
      readonly input?: readonly InputPart[] | undefined
      /** What is shown of the files in it. */
      readonly files?: readonly ShownFile[] | undefined
      readonly more?: AskedMore
    }
  | { readonly type: 'command'; readonly id: string; readonly text: string; readonly parsed: ParsedSlash }

export type Prompt = Extract<ChatEntry, { type: 'prompt' }>

/** A session that somebody has open; one object, changed in one place each. */
export interface LiveSession {
  readonly id: string
  log: EventLog
  readonly watchers: Set<Watcher>
  readonly questions: SessionQuestions
  /** What came of each id that a client has given. */
  readonly submitted: Map<string, Submitted>
  /** For each prompt that has begun: how many stored messages stand before it. */
  marks: number[]
  /** Of the next prompt. */
  nextOrdinal: number
  queue: ChatEntry[]
  /** The prompt that is answered now. */
  turn: { readonly ordinal: number; readonly controller: AbortController; readonly over: Promise<void> } | undefined
  /** Commands that run. */
  readonly given: Set<Promise<void>>
  /** Those of them that can be interrupted. */
  readonly commands: Set<AbortController>
  /** What the agent works on beside the conversation, with what it was told. */
  readonly background: Map<AbortController, string>
  /** Entries are being handled. */
  busy: Promise<void> | undefined
  /** Submissions are taken one after the other. */
  gate: Promise<unknown>
  /** Waits for the first turn. */
  title: string | undefined
  reasoning: ReasoningSetting
  /** Which model answers here; empty: the one of the settings. */
  wish: ModelWish
  /** How this session is asked about dangers; undefined: as the settings say. */
  approvals: ApprovalMode | undefined
  status: 'idle' | 'working' | 'waiting'
  /** How many stored messages the log shows. */
  known: number
}

/** So many ids of a session are remembered. */
const mostIds = 1_000

/** `after`: the number before that of its first event. */
export function openLiveSession({ agent }: ChatGround, id: string, after: number): LiveSession {
  const { clock, loaded } = agent
  const session: LiveSession = {
    ...{ id, log: createEventLog({ session: id, now: clock.now, after }) },
    ...{ watchers: new Set(), submitted: new Map(), marks: [], nextOrdinal: 0, queue: [], turn: undefined },
    ...{
      given: new Set(),
      wish: {},
      approvals: undefined,
      commands: new Set(),
      background: new Map(),
      busy: undefined,
      gate: Promise.resolve(),
      title: undefined,
    },
    reasoning: { effort: undefined, show: loaded.config.display.show_reasoning },
    status: 'idle',
    known: 0,
    questions: createQuestions({
      clock,
      timeoutMs: () => loaded.config.approvals.timeout * 1000,
      onClosed: (request, answer) => {
        tell(session, { type: 'request.closed', id: request, ...(answer === undefined ? {} : { answer }) })
        tellStatus(session)
      },
    }),
  }
  return session
}

/** What is said to the model. */
export const saidOf = ({ text, input }: Pick<Prompt, 'text' | 'input'>): readonly InputPart[] => input ?? [{ type: 'text', text }]

/** The same id is not taken again. */
export function remember({ submitted }: LiveSession, id: string, result: Submitted): void {
  submitted.set(id, result)
  const [oldest] = submitted.keys()
  if (submitted.size > mostIds && oldest !== undefined) submitted.delete(oldest)
}

/** Prompts that wait and for which this holds are not said any more. */
export function dropPrompts(session: LiveSession, journal: ChatJournal | undefined, isDropped: (prompt: Prompt) => boolean): void {
  const isGone = (entry: ChatEntry): boolean => entry.type === 'prompt' && isDropped(entry)
  for (const { id } of session.queue.filter(isGone)) journal?.end(session.id, id)
  session.queue = session.queue.filter((entry) => !isGone(entry))
}

/** Puts an event into the log and sends it to all who watch. */
export function tell(session: LiveSession, event: SessionEvent): void {
  const frame = session.log.append(event)
  for (const watcher of session.watchers) watcher(frame)
}

/** Tells what the session does, where that has changed. */
export function tellStatus(session: LiveSession): void {
  const status = session.questions.isWaiting() ? 'waiting' : session.turn || session.queue.length > 0 ? 'working' : 'idle'
  if (status === session.status) return
  session.status = status
  tell(session, { type: 'session.status', status })
}

/** Resolves when nothing goes on that somebody said or ordered here. Work in the background may. */
export async function settled(session: LiveSession): Promise<void> {
  while (session.busy || session.given.size > 0) await Promise.all([session.busy, ...session.given])
}

/** Entries are being handled. */
export function isBusy({ busy }: LiveSession): boolean {
  return busy !== undefined
}

/** Nothing stands behind so many stored messages any more, so that nothing behind them is shown. */
export function cutTo(session: LiveSession, kept: number): void {
  const first = session.marks.findIndex((mark) => mark >= kept)
  const ordinal = first < 0 ? session.marks.length : first
  session.known = kept
  session.marks = session.marks.slice(0, ordinal)
  session.nextOrdinal = ordinal
  tell(session, { type: 'session.truncated', ordinal })
}
