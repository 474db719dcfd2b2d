import type { InboundMessage, OutboundMessage } from './messages.ts'
import type { InputPart, ModelRequest, StopReason, ToolEffect, ToolOutcome, Usage } from './model.ts'
import type { TurnStatus } from './turn.ts'
import type { Call, Wire } from './wire.ts'

/** What each hook hands over. */
export interface HookEvents {
  'turn.before': {
    readonly turn: string
    readonly session: string
    readonly source: string
    readonly input: readonly InputPart[]
    readonly instructions: string | undefined
  }
  'model.request': { readonly turn: string; readonly session: string; readonly provider: string; readonly request: ModelRequest }
  'tool.before': {
    readonly turn: string
    readonly session: string
    readonly tool: string
    readonly effect: ToolEffect
    readonly args: Wire
    readonly workspace: string
  }
  'tool.after': {
    readonly turn: string
    readonly session: string
    readonly tool: string
    readonly effect: ToolEffect
    readonly args: Wire
    readonly outcome: ToolOutcome
  }
  /** Before a message of somebody who is let in is answered. */
  'message.inbound': { readonly platform: string; readonly message: InboundMessage }
  /** Before each message that the gateway sends, and again before it is repeated; of `message` only `text` can be changed. */
  'message.outbound': { readonly platform: string; readonly message: OutboundMessage }
  /** A call of a model is over, also one that failed or was repeated. Times in milliseconds; `firstTokenMs` is null where nothing came. */
  'model.end': {
    readonly turn: string
    readonly session: string
    readonly source: string
    readonly provider: string
    readonly model: string
    readonly usage: Usage
    readonly durationMs: number
    readonly firstTokenMs: number | null
    readonly stop: StopReason
    readonly error: string | null
  }
  /** A call of a tool is over, also one that was refused. `error` is a code where there is one; a tool may fail without. */
  'tool.end': {
    readonly turn: string
    readonly session: string
    readonly source: string
    readonly tool: string
    readonly ok: boolean
    readonly durationMs: number
    readonly error: string | null
  }
  /** A turn is over; its answer may still be on its way. `provider` and `model` answered last, `error` is a code, `calls` counts calls of models. */
  'turn.end': {
    readonly turn: string
    readonly session: string
    readonly source: string
    readonly provider: string
    readonly model: string
    readonly status: TurnStatus
    readonly usage: Usage
    readonly calls: number
    readonly durationMs: number
    readonly error: string | null
  }
  'session.start': { readonly session: string; readonly source: string; readonly provider: string; readonly model: string }
  'session.end': { readonly session: string; readonly reason: string }
  'plugin.state': {
    readonly plugin: string
    readonly kind: string
    readonly contribution: string
    readonly from: string
    readonly to: string
  }
}

/**
 * The closed list of hooks. `gate`: the first refusal wins, and one that fails refuses. `modify`: each answers the fields that it
 * changes; one that fails is left out. `observe`: answers and failures are ignored.
 */
export const hookKinds = {
  'turn.before': 'modify',
  'model.request': 'modify',
  'tool.before': 'gate',
  'tool.after': 'modify',
  'message.inbound': 'gate',
  'message.outbound': 'modify',
  'model.end': 'observe',
  'tool.end': 'observe',
  'turn.end': 'observe',
  'session.start': 'observe',
  'session.end': 'observe',
  'plugin.state': 'observe',
} as const satisfies { readonly [Name in keyof HookEvents]: 'gate' | 'modify' | 'observe' }

/** The places at which the host asks hooks. */
export type HookName = keyof HookEvents

/** Fields that are words: these can stand in the `filter` of a hook. */
type WordOf<Event> = { readonly [Field in keyof Event]: Event[Field] extends string ? Field : never }[keyof Event]

/** By which fields of its event a hook can be filtered. */
export const hookFilters = {
  'turn.before': ['turn', 'session', 'source'],
  'model.request': ['turn', 'session', 'provider'],
  'tool.before': ['turn', 'session', 'tool', 'effect', 'workspace'],
  'tool.after': ['turn', 'session', 'tool', 'effect'],
  'message.inbound': ['platform'],
  'message.outbound': ['platform'],
  'model.end': ['turn', 'session', 'source', 'provider', 'model'],
  'tool.end': ['turn', 'session', 'source', 'tool'],
  'turn.end': ['turn', 'session', 'source', 'provider', 'model', 'status'],
  'session.start': ['session', 'source', 'provider', 'model'],
  'session.end': ['session', 'reason'],
  'plugin.state': ['plugin', 'kind', 'contribution', 'from', 'to'],
} as const satisfies { readonly [Name in HookName]: readonly WordOf<HookEvents[Name]>[] }

interface HookAnswers<Event> {
  gate: { readonly refuse: string } | undefined
  modify: Partial<Event> | undefined
  observe: undefined
}

/** What a hook answers; undefined where it has nothing to say. */
export type HookAnswer<Name extends HookName> = HookAnswers<HookEvents[Name]>[(typeof hookKinds)[Name]]

/** A hook: it hears the event and answers what its kind of hook may say; what rejects counts as a failure of the plugin. */
export type HookRun<Name extends HookName> = (event: HookEvents[Name], call: Call) => Promise<HookAnswer<Name>>
