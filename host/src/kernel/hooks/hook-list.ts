import type { HookEvents, HookName, hookKinds } from '@agent/plugin-sdk'
import type { StateChange } from '../plugin-state.ts'

/** What each hook hands to its taps: the host's own see all of a change of state. */
export interface HookPayloads extends HookEvents {
  'plugin.state': StateChange
}

export type HookClass = 'gate' | 'modify' | 'observe'
type ClassOf<Name extends HookName> = (typeof hookKinds)[Name]

/** Who refused and why. */
export interface HookRefusal {
  readonly plugin: string
  readonly reason: string
}

interface Answers<Payload> {
  gate: { readonly refuse: string } | undefined
  modify: Partial<Payload> | undefined
  observe: undefined
}

interface Results<Payload> {
  gate: HookRefusal | undefined
  modify: Payload
  observe: undefined
}

/** What a tap of a hook answers. */
export type TapAnswer<Name extends HookName> = Answers<HookPayloads[Name]>[ClassOf<Name>]
/** What a call of a hook resolves to: a refusal or nothing (gate), the payload (modify), nothing (observe). */
export type HookResult<Name extends HookName> = Results<HookPayloads[Name]>[ClassOf<Name>]

/** Fires when the tap's budget is over. */
export interface TapCall {
  readonly signal: AbortSignal
}

/** One that has nothing to say answers undefined. */
export type TapFunction<Name extends HookName> = (payload: HookPayloads[Name], call: TapCall) => TapAnswer<Name> | Promise<TapAnswer<Name>>

/** Data, compared by the host before the tap is called: each named field must be one of the values. */
export type HookFilter<Name extends HookName> = {
  readonly [Field in keyof HookPayloads[Name] as HookPayloads[Name][Field] extends string ? Field : never]?: readonly string[]
}

/** A failure of a tap and whom it belongs to. */
export interface HookFault {
  readonly plugin: string
  readonly hook: HookName
  readonly kind: 'threw' | 'timed-out'
  readonly detail: string
  /** True when this was one too many: the tap is not run again. A gate's tap then refuses without being run. */
  readonly removed: boolean
}
