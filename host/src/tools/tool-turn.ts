import type { ApprovalChoice, Call, ToolCall, ToolOutcome, Wire, WireError } from '@agent/plugin-sdk'
import type { JobHands } from '#store/jobs.ts'
import type { Beneficiary } from '#store/usage.ts'

/** Whom dangers are a question to: a person, a model before a person, or nobody. */
export type ApprovalMode = 'ask' | 'smart' | 'off'

/** What a tool may know about the turn that calls it, and how it reaches the person behind the door. */
export interface ToolTurn {
  readonly turn: string
  /** The turn of the person, where it is the one of a child agent. */
  readonly rootTurn?: string
  readonly session: string
  /** What counts for it; absent: no conversation. */
  readonly served?: Beneficiary
  /** Whose memory and earlier sessions its tools may use. */
  readonly owner: string
  /** Absolute path of the folder that the agent works in. */
  readonly workspace: string
  /** True when a person behind this door can answer now. */
  readonly canAnswer: boolean
  /** The door's name, as in `TurnRequest.source`. */
  readonly door: string
  /** Key of the session, where the door finds it by one. */
  readonly sessionKey?: string
  /** Names of the tools that this session has. */
  readonly tools: ReadonlySet<string>
  /** Names of all that may be called where the session has `tool_call`; empty where it has not. */
  readonly reachable: ReadonlySet<string>
  /** Fires when the turn is interrupted. */
  readonly signal: AbortSignal
  /** Rejects with TIMED_OUT when nobody answers within `approvals.timeout`. */
  approve(request: ApprovalRequest): Promise<ApprovalChoice>
  /** What it hears beside what is said. */
  readonly instructions?: string | undefined
  /** How this session is asked, of the moment; absent: as the settings say. */
  readonly approvals?: (() => ApprovalMode | undefined) | undefined
  ask(question: { readonly question: string; readonly choices: readonly string[] }): Promise<string>
  progress(id: string, text: string): void
  /** Danger categories that were allowed for the rest of this session. */
  readonly approved: Set<string>
  /** Child agents that work for it; absent where nobody runs any. */
  readonly agents?: TurnAgents
  /** What its tools may do with jobs, and what those jobs keep of it. */
  readonly jobRights?: () => JobRights
  /** It is the turn of a child agent. */
  readonly isChild?: boolean
}

/** What a turn hands on to the jobs that it makes or changes. */
export interface JobRights extends JobHands {
  /** Whether who speaks may make and change jobs. */
  readonly may: boolean
  /** At most these toolsets. */
  readonly toolsets?: readonly string[]
}

type RunAgents = NonNullable<ToolCall['agents']>['run']
/** A task for a child agent. */
export type AgentTask = Parameters<RunAgents>[0][number]
/** How a child agent ended. */
export type AgentEnd = Awaited<ReturnType<RunAgents>>[number]
/** A child agent that works on behind the turn. */
export type StartedAgent = Awaited<ReturnType<NonNullable<ToolCall['agents']>['start']>>[number]

/** The child agents of a turn. */
export interface TurnAgents {
  /** One end for each task, in their order. Rejects with DELEGATION_REFUSED. */
  run(tasks: readonly AgentTask[], call: Pick<Call, 'signal'>): Promise<readonly AgentEnd[]>
  /** Lets them work on when the turn is over. Rejects with DELEGATION_REFUSED. */
  start(tasks: readonly AgentTask[]): Promise<readonly StartedAgent[]>
  /** Resolves when none of them works any more that the turn waits for. */
  settled(): Promise<void>
}

export interface ApprovalRequest {
  readonly tool: string
  /** The command or path, secrets masked. */
  readonly subject: string
  readonly reason: string
  /** What `always` saves: names for command_allowlist. */
  readonly rule?: string
  /** Where the command runs; absent where it is no command. */
  readonly where?: 'sandbox' | 'machine'
  /** The folder in which the command starts, with `~` for the user's own. */
  readonly folder?: string
  readonly choices: readonly ApprovalChoice[]
}

/** How a tool call ended. `outcome` is what the model is told. */
export interface ToolDone {
  readonly outcome: ToolOutcome
  /** The result in parsed form; for doors, not for the model. */
  readonly data?: Wire
  readonly error?: WireError
  readonly durationMs: number
}

/** A call that a running tool makes of another tool of its turn. */
export interface OtherCall {
  readonly name: string
  readonly args: Wire
  /** Fires when the tool that makes it has ended. */
  readonly signal: AbortSignal
}

export type CallOther = (other: OtherCall) => Promise<ToolDone>

/** A tool call as the model wrote it; `args` is JSON text that may be broken. */
export interface ToolRequest {
  readonly id: string
  readonly name: string
  readonly args: string
}

/** A call that may run now, or the result of one that may not. */
export type PreparedCall =
  | {
      readonly ready: true
      /** The call that is meant, where the model made it through `tool_call`. */
      readonly meant?: ToolRequest
      readonly args: Wire
      readonly preview: string
      /** May run beside other calls of the same step. */
      readonly parallel: boolean
      /** May be run again after a crash that lost its result. */
      readonly replaySafe: boolean
      /** It is not known to leave the files of the workspace alone. */
      readonly mayChangeFiles: boolean
      /** `callOther`: what its code may call, where its plugin may call other tools at all. */
      run(call: Call, callOther?: CallOther): Promise<ToolDone>
    }
  | {
      readonly ready: false
      readonly meant?: ToolRequest
      readonly args: Wire
      readonly preview: string
      readonly done: ToolDone
    }
