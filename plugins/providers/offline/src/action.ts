import type { ModelErrorClass, StopReason, Usage } from '@agent/plugin-sdk'

/** One thing that the model does in an answer, in order. */
export type Action =
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'think'; readonly text: string }
  /** `unchecked`: made even when no tool of that name is offered. */
  | { readonly type: 'call'; readonly name: string; readonly args: string; readonly id?: string; readonly unchecked?: true }
  /** Tokens `offline-1 offline-2 …`, with a pause before each when `everyMs` is not 0. */
  | { readonly type: 'stream'; readonly tokens: number; readonly everyMs: number }
  | { readonly type: 'fail'; readonly class: ModelErrorClass; readonly detail: string; readonly retryAfterMs?: number }

export interface Answer {
  readonly actions: readonly Action[]
  readonly usage?: Partial<Usage>
  readonly stop?: StopReason
}
