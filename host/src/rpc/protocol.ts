import type { PanelAnswer, PanelRequest, TurnEvent, Wire } from '@agent/plugin-sdk'

/** A request is JSON-RPC 2.0; events are notifications with the method `event` and these params. */
export interface EventFrame {
  /**
   * Grows by 1 with each event of a session, so that a client that was away asks for what came after the last one it has. A log that is made of
   * stored messages starts above all that an earlier process has counted. In `session.resume` alone numbers may be missing: there a run of deltas
   * may stand as one, with the number of its last.
   */
  readonly seq: number
  readonly session_id: string
  readonly at: number
  readonly event: SessionEvent
}

/** A file beside a prompt: its text, or a picture as a `data:` URL. `preview` is that picture, small, for all who look on. */
export type PromptFile =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly image: string; readonly preview?: string | undefined }

/** What a chat shows of such a file. */
export interface ShownFile {
  readonly name: string
  readonly kind: 'text' | 'image'
  readonly preview?: string
}

interface Prompted {
  readonly id: string
  readonly text: string
  readonly ordinal: number
  readonly files?: readonly ShownFile[]
}

/** The params of the notification `panel.changed`, which comes to clients that have asked a panel: those that show a page of this one ask it again. */
export interface PanelChanged {
  readonly panel: string
}

/** All that a chat is drawn from. */
export type SessionEvent =
  | TurnEvent
  /** A prompt was accepted and waits for the turn that runs; `prompt.accepted` follows when it begins. */
  | ({ readonly type: 'prompt.queued' } & Prompted)
  /** The turn of a prompt begins: the events up to the next one belong to it. `ordinal` counts the prompts of this session from 0, and edit and resend name it. */
  | ({ readonly type: 'prompt.accepted' } & Prompted)
  /** A slash command was given; it is no prompt and never goes to the model. */
  | { readonly type: 'command.accepted'; readonly id: string; readonly text: string }
  | { readonly type: 'command.output'; readonly id: string; readonly text: string }
  /** An approval or a question is over: somebody answered it, its time is up or its turn has ended. `answer`: what was said. */
  | { readonly type: 'request.closed'; readonly id: string; readonly answer?: string }
  /** The conversation goes on in another session, as `/new` and `/resume` ask: resume that one. */
  | { readonly type: 'session.next'; readonly session_id: string }
  /** Prompts from `ordinal` on, and all that came of them, were taken out. */
  | { readonly type: 'session.truncated'; readonly ordinal: number }
  | { readonly type: 'session.title'; readonly title: string }
  | { readonly type: 'session.status'; readonly status: 'idle' | 'working' | 'waiting' }

/** Methods, what they take and give. Names and fields are those of the specification where it has them. */
export interface RpcMethods {
  readonly 'session.create': { readonly params: { readonly title?: string | undefined }; readonly result: { readonly session_id: string } }
  readonly 'session.resume': {
    readonly params: { readonly session_id: string }
    /** `events`: the whole log, made of the stored messages where this process has not seen them happen. */
    readonly result: {
      readonly session_id: string
      readonly title?: string
      readonly events: readonly EventFrame[]
      readonly status: 'idle' | 'working' | 'waiting'
    }
  }
  readonly 'session.events.since': {
    readonly params: { readonly session_id: string; readonly seq: number }
    /** `gap`: the log no longer holds what follows `seq`; resume. */
    readonly result: { readonly events: readonly EventFrame[]; readonly gap: boolean }
  }
  readonly 'session.title': {
    readonly params: { readonly session_id: string; readonly title: string }
    readonly result: { readonly title: string }
  }
  readonly 'session.interrupt': { readonly params: { readonly session_id: string }; readonly result: { readonly interrupted: boolean } }
  /** Stops one child agent that works for the session; its parent goes on. False where it does not work any more. */
  readonly 'subagent.interrupt': {
    readonly params: { readonly session_id: string; readonly subagent_id: string }
    readonly result: { readonly interrupted: boolean }
  }
  /** This client hears no more of the session. */
  readonly 'session.close': { readonly params: { readonly session_id: string }; readonly result: { readonly closed: boolean } }
  readonly 'prompt.submit': {
    /** `id` is the client's own: the same one twice is accepted once. */
    readonly params: {
      readonly session_id: string
      readonly text: string
      readonly id: string
      readonly truncate_before_user_ordinal?: number | undefined
      /** The text may be empty then. */
      readonly files?: readonly PromptFile[] | undefined
    }
    /** Without `ordinal` it was a slash command. */
    readonly result: { readonly accepted: boolean; readonly ordinal?: number }
  }
  readonly 'approval.respond': {
    readonly params: { readonly request_id: string; readonly choice: string }
    readonly result: { readonly answered: boolean }
  }
  readonly 'clarify.respond': {
    readonly params: { readonly request_id: string; readonly text: string }
    readonly result: { readonly answered: boolean }
  }
  readonly 'commands.catalog': {
    readonly params: Record<string, never>
    readonly result: { readonly commands: readonly { readonly name: string; readonly summary: string; readonly args: string }[] }
  }
  /** Asks a method of a plugin's panel. */
  readonly 'panel.run': {
    readonly params: {
      readonly panel: string
      readonly method: string
      readonly input: PanelRequest['input']
      readonly item?: string | undefined
    }
    readonly result: PanelAnswer
  }
  readonly 'setup.status': { readonly params: Record<string, never>; readonly result: { readonly provider_configured: boolean } }
  readonly 'setup.runtime_check': {
    readonly params: Record<string, never>
    readonly result: { readonly ok: boolean; readonly code?: string; readonly message?: string }
  }
  readonly ping: { readonly params: Record<string, never>; readonly result: { readonly at: number } }
}

export type RpcMethod = keyof RpcMethods

/** Numbers of JSON-RPC errors; `data.code` holds the code of the error table. */
export const rpcErrors = { parse: -32700, request: -32600, method: -32601, params: -32602, badTruncation: 4004, failed: -32000 } as const

/** A message of the client, before its params are checked. */
export interface RpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: string | number
  readonly method: string
  readonly params?: Wire
}

/** The answer to a request; `id` is null where the request could not be read. */
export type RpcResponse =
  | { readonly jsonrpc: '2.0'; readonly id: string | number; readonly result: unknown }
  | {
      readonly jsonrpc: '2.0'
      readonly id: string | number | null
      readonly error: { readonly code: number; readonly message: string; readonly data: { readonly code: string } }
    }
