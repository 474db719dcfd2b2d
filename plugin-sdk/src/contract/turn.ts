import type { InputPart, ModelMessage, ReasoningEffort, StopReason, ToolChoice, ToolOutcome, ToolSpec, Usage } from './model.ts'
import type { Call, Wire, WireError } from './wire.ts'

/** Which stored conversation a turn continues: by key (found or made), by id (must exist); absent: a new one. */
export type SessionRef = { readonly key: string } | { readonly id: string }

/** The form that the text of an answer must have. It is checked; a model that misses it is asked once more. */
export type ResponseFormat =
  | { readonly type: 'json' }
  | { readonly type: 'json-schema'; readonly name: string; readonly schema: { readonly [key: string]: Wire | undefined } }

/** A call of one of the caller's own tools; `args` is JSON text as the model wrote it. */
export interface ClientCall {
  readonly id: string
  readonly name: string
  readonly args: string
}

/** What every door hands in. */
export interface TurnRequest {
  readonly input: readonly InputPart[]
  readonly session?: SessionRef
  /** The door's name as shown in session lists: `cli`, `oneshot`, `api-server`, a platform id. */
  readonly source: string
  /** Earlier messages of a stateless door; they replace the stored ones for this turn. */
  readonly history?: readonly ModelMessage[]
  /** Layered after the core prompt, for this turn only. */
  readonly instructions?: string
  /** True when a person behind this door can answer approvals and questions now. */
  readonly canAnswer: boolean
  readonly provider?: string
  readonly model?: string
  readonly reasoning?: ReasoningEffort
  readonly maxOutputTokens?: number
  readonly temperature?: number
  /** Tools that the caller runs: a call of one ends the turn with `calls`. A tool of the agent with the same name is not offered. */
  readonly clientTools?: readonly ToolSpec[]
  /** False leaves only the caller's tools. */
  readonly agentTools?: boolean
  /** `required` and a name speak of the caller's tools, and only these are offered then. Absent: `auto`. */
  readonly toolChoice?: ToolChoice
  /** False: of several calls of the caller's tools in one step only the first is handed out. */
  readonly parallelCalls?: boolean
  /** The model's words end before the first of these texts. */
  readonly stop?: readonly string[]
  readonly responseFormat?: ResponseFormat
  /** What came of `calls` that an earlier turn ended with: this turn goes on from there. `input` may then be empty. */
  readonly results?: readonly ToolOutcome[]
  /** False: nothing of this turn is written down. */
  readonly store?: boolean
}

/** How a person answers when a dangerous call is asked about. */
export type ApprovalChoice = 'once' | 'session' | 'always' | 'deny'

/** How a turn ended. `length`: the model's output was cut; `max-iterations`: the step budget ran out. */
export type TurnStatus = 'complete' | 'interrupted' | 'failed' | 'length' | 'max-iterations'

/** What every door renders. `session` is empty for a turn that is not stored. The last event is `message.complete`; an `error` event comes before it when the turn failed. */
export type TurnEvent =
  | { readonly type: 'message.start'; readonly turn: string; readonly session: string; readonly provider: string; readonly model: string }
  | { readonly type: 'message.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | { readonly type: 'tool.start'; readonly id: string; readonly name: string; readonly args: Wire; readonly preview: string }
  | { readonly type: 'tool.progress'; readonly id: string; readonly text: string }
  | {
      readonly type: 'tool.complete'
      readonly id: string
      readonly name: string
      readonly ok: boolean
      readonly text: string
      /** The result in parsed form, where the tool gives one. */
      readonly result?: Wire
      readonly durationMs: number
      readonly error?: WireError
    }
  | {
      readonly type: 'approval.request'
      readonly id: string
      readonly tool: string
      /** The command or path, secrets masked. */
      readonly subject: string
      /** Why it is asked: the danger category in words. */
      readonly reason: string
      /** What `always` saves: names for command_allowlist. */
      readonly rule?: string
      /** Where the command runs; absent where it is no command. */
      readonly where?: 'sandbox' | 'machine'
      /** The folder in which the command starts, with `~` for the user's own. */
      readonly folder?: string
      readonly choices: readonly ApprovalChoice[]
    }
  | { readonly type: 'clarify.request'; readonly id: string; readonly question: string; readonly choices: readonly string[] }
  /** `fallback`: another model answers the rest of this turn, `provider/model`; the text says why. */
  | { readonly type: 'status'; readonly kind: 'retry' | 'notice'; readonly text: string }
  | { readonly type: 'status'; readonly kind: 'fallback'; readonly text: string; readonly model: string }
  | { readonly type: 'usage'; readonly usage: Usage; readonly calls: number }
  | {
      readonly type: 'message.complete'
      readonly text: string
      readonly status: TurnStatus
      readonly stop: StopReason
      /** What the caller is to run; a further turn brings the results. */
      readonly calls?: readonly ClientCall[]
    }
  | { readonly type: 'error'; readonly error: WireError; readonly text: string; readonly retryable: boolean }
  | SubagentEvent

/** How a child agent ended; `timeout`: its time was over. */
type SubagentStatus = 'completed' | 'failed' | 'interrupted' | 'timeout'

interface SubagentAbout {
  readonly id: string
  /** The id of the child agent that has this one; absent for a child of the turn itself. */
  readonly parent?: string
  /** 1 for a child of the turn itself. */
  readonly depth: number
  /** The beginning of its task. */
  readonly goal: string
  /** Its place among those of its call, from 0 on, and how many they are. */
  readonly index: number
  readonly count: number
  /** Its stored session. */
  readonly session: string
}

/** What a child agent does, told in the turn that it works for. */
type SubagentEvent = SubagentAbout &
  (
    | { readonly type: 'subagent.spawn_requested' }
    | { readonly type: 'subagent.start'; readonly model: string }
    /** It starts its call number `calls`. */
    | { readonly type: 'subagent.tool'; readonly name: string; readonly preview: string; readonly calls: number }
    | {
        readonly type: 'subagent.complete'
        readonly status: SubagentStatus
        readonly exitReason: 'completed' | 'interrupted' | 'max_iterations'
        readonly text: string
        readonly durationMs: number
      }
  )

/** Runs turns for a request door. Needs the host permission `turns.run`. */
export interface Turns {
  /** Abort `call.signal` to interrupt; the stream then ends with `message.complete` of status `interrupted`. */
  run(request: TurnRequest, call: Call): AsyncIterable<TurnEvent>
  /** Answers an `approval.request` (an `ApprovalChoice`) or a `clarify.request` (free text); false when nobody waits for it any more. */
  answer(request: string, value: string): Promise<boolean>
}
