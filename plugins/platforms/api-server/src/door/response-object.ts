import type { Usage } from '@agent/plugin-sdk'

type ItemStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed'

/** A part of what a message or a burst of reasoning says. */
export type TextPart =
  | { readonly type: 'output_text'; readonly text: string; readonly annotations: readonly []; readonly logprobs: readonly [] }
  | { readonly type: 'reasoning_text'; readonly text: string }

export interface MessageItem {
  readonly type: 'message'
  readonly id: string
  readonly role: 'assistant'
  readonly status: ItemStatus
  readonly content: readonly TextPart[]
}

export interface ReasoningItem {
  readonly type: 'reasoning'
  readonly id: string
  readonly status: ItemStatus
  readonly summary: readonly []
  readonly content: readonly TextPart[]
}

/** A tool that ran here, in the one form that every client takes as done. */
export interface McpCallItem {
  readonly type: 'mcp_call'
  readonly id: string
  readonly status: ItemStatus
  readonly server_label: 'agent'
  readonly name: string
  readonly arguments: string
  readonly output: string | null
  readonly error: string | null
  readonly approval_request_id: null
}

export interface FunctionCallItem {
  readonly type: 'function_call'
  readonly id: string
  readonly call_id: string
  readonly status: ItemStatus
  readonly name: string
  readonly arguments: string
}

export interface CustomCallItem {
  readonly type: 'custom_tool_call'
  readonly id: string
  readonly call_id: string
  readonly status: ItemStatus
  readonly name: string
  readonly input: string
}

export interface FunctionOutputItem {
  readonly type: 'function_call_output'
  readonly id: string
  readonly call_id: string
  readonly status: ItemStatus
  readonly output: readonly { readonly type: 'input_text'; readonly text: string }[]
}

/** One thing that a turn said or did. */
export type Item = MessageItem | ReasoningItem | McpCallItem | FunctionCallItem | CustomCallItem | FunctionOutputItem

/** Takes the events of a response's stream as they come about; a delta comes beside fields that stay the same object for all of one text. */
export type Sink = (type: string, fields: Readonly<Record<string, unknown>>, delta?: string) => void

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed'

/** What a request asked for, as the response repeats it. */
export interface ResponseEcho {
  readonly instructions: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly max_output_tokens: number | null
  readonly previous_response_id: string | null
  readonly conversation?: { readonly id: string }
  readonly reasoning: { readonly effort: string | null; readonly summary: null }
  readonly store: boolean
  readonly temperature: number | null
  readonly truncation: 'auto' | 'disabled'
  readonly parallel_tool_calls: boolean
  readonly text: { readonly format: unknown }
  readonly tool_choice: unknown
  readonly tools: readonly unknown[]
}

/** A response under the names that clients read. */
export interface ResponseObject extends ResponseEcho {
  readonly id: string
  readonly object: 'response'
  readonly created_at: number
  readonly status: ResponseStatus
  readonly model: string
  readonly output: readonly Item[]
  readonly error: { readonly code: string; readonly message: string } | null
  readonly incomplete_details: { readonly reason: string } | null
  readonly usage: Readonly<Record<string, unknown>> | null
  readonly background: false
  readonly top_p: null
}

/** Token counts under the names that clients of responses read. */
export function formatResponseUsage(usage: Usage): Readonly<Record<string, unknown>> {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  }
}
