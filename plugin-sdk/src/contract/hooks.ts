import type { InboundMessage, OutboundMessage } from './messages.ts'
import type { InputPart, ModelRequest, ToolEffect, ToolOutcome } from './model.ts'
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
  'session.start': 'observe',
  'session.end': 'observe',
  'plugin.state': 'observe',
} as const satisfies { readonly [Name in keyof HookEvents]: 'gate' | 'modify' | 'observe' }

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

export type HookRun<Name extends HookName> = (event: HookEvents[Name], call: Call) => Promise<HookAnswer<Name>>
