import type { SessionRef, TurnEvent } from '@agent/plugin-sdk'
import type { OpenAgent } from '#agent/open-agent.ts'
import type { ReasoningSetting, SlashServices, TermRow } from '#commands/slash.ts'
import type { TypedEntry } from '../input/draft.ts'
import type { Wish } from './open-chat.ts'
import type { OpenQuestions, TurnQuestion } from './questions.ts'

/** What shows the conversation to people. */
export interface Audience {
  /** The entry is said now. */
  begins(entry: TypedEntry): void
  /** What the turn that is shown does. */
  hear(event: TurnEvent): void
  /** A turn wants to know something. */
  ask(question: TurnQuestion): void
  /** What a command says. */
  say(text: string): void
  /** A list that a command says. */
  sayRows(rows: readonly TermRow[]): void
  /** What the agent answered beside the conversation. */
  report(text: string): void
  /** What goes on beside the conversation. */
  note(text: string): void
  complain(text: string): void
  /** Queue, questions or what runs have changed. */
  changed(): void
  leave(): void
}

export interface ConversationOptions {
  readonly agent: OpenAgent
  readonly services: SlashServices
  readonly wish: Wish
  readonly session: SessionRef | undefined
  /** In which the agent works. */
  readonly folder: string
  /** A person is there: questions are answered, and what comes while the agent works does not simply wait. */
  readonly canAnswer: boolean
  readonly audience: Audience
}

/** The turn that is shown. */
export interface ShownTurn {
  abort(reason: unknown): void
  readonly over: Promise<void>
}

/** What the conversation is at; one object, changed in one place each. */
export interface TalkState {
  readonly options: ConversationOptions
  readonly questions: OpenQuestions
  session: SessionRef | undefined
  sessionId: string | undefined
  title: string | undefined
  wish: Wish
  reasoning: ReasoningSetting
  /** The session, and how often it was made shorter, when the person was told that it soon will be. */
  nearTold: string | undefined
  turn: ShownTurn | undefined
  /** Commands that run and can be interrupted. */
  readonly commands: Set<AbortController>
  /** What the agent works on beside the conversation, with what it was told. */
  readonly background: Map<AbortController, string>
  /** An entry is being handled. */
  busy: Promise<void> | undefined
  queue: TypedEntry[]
  /** Nothing more is taken. */
  isOver: boolean
}
