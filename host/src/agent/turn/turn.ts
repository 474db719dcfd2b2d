import type {
  AssistantPart,
  ClientCall,
  Clock,
  Log,
  ModelMessage,
  ReasoningEffort,
  StopReason,
  ToolOutcome,
  TurnEvent,
  TurnRequest,
  TurnStatus,
  Usage,
  WireError,
} from '@agent/plugin-sdk'
import type { TurnCheckpoint } from '#checkpoints/turn-checkpoint.ts'
import type { HookDispatcher } from '#kernel/hooks/hooks.ts'
import type { CheckForeign } from '#kernel/schema/check-foreign.ts'
import type { Book } from '#models/book.ts'
import type { ChatModel } from '#models/open.ts'
import type { SpareField } from '#models/repair.ts'
import type { Fallback, StandIns } from '#models/stand-ins.ts'
import type { Step } from '#store/journal.ts'
import type { NewSession } from '#store/sessions.ts'
import type { Beneficiary, Payer } from '#store/usage.ts'
import type { ToolTurn } from '#tools/tool-turn.ts'
import type { ToolView } from '#tools/toolbox/toolbox.ts'
import type { ContextFit, TurnContext } from '../context/fit-context.ts'
import type { HidePictures } from '../images/hide-pictures.ts'
import type { OfferedTools } from './offer-tools.ts'

export type CallPart = Extract<AssistantPart, { type: 'call' }>

/** What the model said in one step. */
export interface ModelAnswer {
  readonly parts: readonly AssistantPart[]
  readonly calls: readonly CallPart[]
  readonly text: string
  readonly stop: StopReason
  readonly usage: Usage
  readonly failed?: WireError
}

/** The same when it is known which calls run here, which go to the caller and which must not run. */
export interface JudgedAnswer extends ModelAnswer {
  readonly theirs: readonly CallPart[]
  /** Results of the calls that must not run. */
  readonly refused: readonly ToolOutcome[]
  /** One of them was cut off by the output limit. */
  readonly wasCut: boolean
}

/** A step that a crash cut in two: some of its calls have a result, the others are still to run. */
export interface OpenStep {
  readonly calls: readonly CallPart[]
  readonly results: readonly ToolOutcome[]
}

/** What a turn left behind. */
export interface TurnEnd {
  readonly text: string
  readonly status: TurnStatus
  readonly stop: StopReason
  /** Messages that the session gains; empty when nothing happened that is worth keeping. */
  readonly messages: readonly ModelMessage[]
  readonly usage: Usage
  readonly calls: number
  readonly error?: WireError
  /** What is told with the answer and is no part of it, a sentence each. */
  readonly notes: readonly string[]
  /** What the caller is to run before the turn can go on. */
  readonly clientCalls?: readonly ClientCall[]
}

/** One turn, as a plain object. `messages`, `usage` and `calls` grow while it runs. */
export interface Turn {
  readonly id: string
  readonly session: string
  /** The session begins with this turn, and is stored with it. */
  readonly create: NewSession | undefined
  readonly request: TurnRequest
  /** Others than the owner of this machine reach the door. */
  readonly isPublic: boolean
  /** What and whom its model calls count for. */
  readonly payer: Payer & Beneficiary
  readonly system: string
  readonly tools: OfferedTools
  /** The one that was chosen, or the one that stands in for it. */
  model: ChatModel
  /** What the service of a model has refused to be told in this turn. */
  refused?: { readonly by: ChatModel; readonly fields: readonly SpareField[] }
  readonly chosen: string
  readonly fallback: Fallback
  readonly standIns: StandIns
  readonly reasoning: ReasoningEffort | undefined
  readonly messages: ModelMessage[]
  /** What the caller brought: the first messages that the session gains. */
  readonly begins: readonly ModelMessage[]
  /** Index of the first message that came after it. */
  readonly from: number
  /** How much of the messages the model hears. */
  readonly context: TurnContext
  readonly fit: ContextFit
  readonly maxSteps: number
  readonly apiTimeoutMs: number
  readonly signal: AbortSignal
  readonly toolbox: ToolView
  readonly toolTurn: ToolTurn
  /** Keeps files as they were before the turn; undefined where that is switched off. */
  readonly checkpoint: TurnCheckpoint | undefined
  readonly hooks: HookDispatcher
  readonly hidePictures: HidePictures
  readonly clock: Clock
  readonly checkForeign: CheckForeign
  readonly log: Log
  /** Resolves when the step is on disk; a tool is not started before. */
  readonly recordStep: (step: Step) => Promise<void>
  /** A step that a crash cut in two: finished before the model is asked again. */
  readonly open?: OpenStep | undefined
  /** What people added since the last step. */
  readonly steer?: (() => Promise<readonly string[]>) | undefined
  readonly random: () => number
  /** Undefined while who reads the events keeps up: the model is not read on before. */
  readonly room?: (() => Promise<void> | undefined) | undefined
  usage: Usage
  calls: number
  /** What its model calls took, while it is written down. */
  readonly booked: Promise<void>[]
  readonly book: Book
  /** A person lets this turn go beyond a budget. */
  isBudgetLifted: boolean
  /** What the person is told with the answer, a sentence each. */
  readonly notes: string[]
  emit(event: TurnEvent): void
}
