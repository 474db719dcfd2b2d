import type { Wire } from '@agent/plugin-sdk'
import type { EventFrame, SessionEvent } from '../../../src/rpc/protocol.ts'

type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { readonly type: T }>

export interface ToolPart {
  readonly kind: 'tool'
  readonly key: string
  readonly name: string
  readonly args: Wire
  readonly preview: string
  readonly progress: string
  readonly done?: { readonly ok: boolean; readonly text: string; readonly durationMs: number }
}

export type Part =
  | { readonly kind: 'text' | 'reasoning'; readonly key: string; readonly text: string }
  | { readonly kind: 'notice' | 'error'; readonly key: string; readonly text: string }
  | { readonly kind: 'approval'; readonly key: string; readonly ask: EventOf<'approval.request'>; readonly open: boolean }
  | { readonly kind: 'clarify'; readonly key: string; readonly ask: EventOf<'clarify.request'>; readonly open: boolean }
  | ToolPart

export type Bubble =
  /** `ordinal` is absent for a slash command, which cannot be edited and sent again. */
  | { readonly kind: 'user'; readonly key: string; readonly text: string; readonly ordinal: number | undefined }
  | {
      readonly kind: 'assistant'
      readonly key: string
      readonly model: string
      readonly parts: readonly Part[]
      /** How the turn ended; absent while it runs. */
      readonly end?: string
    }

export interface ChatLog {
  readonly seq: number
  readonly bubbles: readonly Bubble[]
  readonly status: 'idle' | 'working' | 'waiting'
  readonly title: string | undefined
  /** Tokens of the last request that told its usage. */
  readonly used: { readonly input: number; readonly output: number } | undefined
}

export const emptyLog: ChatLog = { seq: 0, bubbles: [], status: 'idle', title: undefined, used: undefined }

/** Draws on; a frame that was seen is dropped. The past may come with runs of deltas made one frame, so numbers only have to rise. */
export function addFrames(log: ChatLog, frames: readonly EventFrame[]): ChatLog {
  let next = log
  for (const frame of frames) if (frame.seq > next.seq) next = { ...apply(next, frame), seq: frame.seq }
  return next
}

/** Something between the last frame and this one is missing. */
export function hasGap(log: ChatLog, frame: EventFrame): boolean {
  return frame.seq > log.seq + 1
}

function apply(log: ChatLog, { seq, event }: EventFrame): ChatLog {
  const key = String(seq)
  switch (event.type) {
    case 'session.status':
      return { ...log, status: event.status, bubbles: event.status === 'waiting' ? log.bubbles : closeAsks(log.bubbles) }
    case 'session.title':
      return { ...log, title: event.title }
    case 'session.truncated':
      return { ...log, bubbles: cutBefore(log.bubbles, event.ordinal) }
    case 'prompt.accepted':
      return { ...log, bubbles: [...log.bubbles, { kind: 'user', key, text: event.text, ordinal: event.ordinal }] }
    case 'command.accepted':
      return { ...log, bubbles: [...log.bubbles, { kind: 'user', key, text: event.text, ordinal: undefined }] }
    case 'command.output':
      return { ...log, bubbles: [...log.bubbles, outputOf(event.text, key)] }
    case 'request.closed':
      return { ...log, bubbles: closeAsks(log.bubbles, event.id) }
    case 'prompt.queued':
    case 'session.next':
      return log
    case 'message.start':
      return { ...log, bubbles: [...log.bubbles, { kind: 'assistant', key, model: event.model, parts: [] }] }
    case 'usage':
      return { ...log, used: { input: event.usage.input, output: event.usage.output } }
    case 'message.complete':
      return { ...log, bubbles: onLast(closeAsks(log.bubbles), key, (bubble) => complete(bubble, event, key)) }
    default:
      return { ...log, bubbles: onLast(log.bubbles, key, (bubble) => ({ ...bubble, parts: addPart(bubble.parts, event, key) })) }
  }
}

type Assistant = Extract<Bubble, { readonly kind: 'assistant' }>

function complete(bubble: Assistant, { text, status }: EventOf<'message.complete'>, key: string): Assistant {
  const spoken = bubble.parts.some((part) => part.kind === 'text')
  const parts: readonly Part[] = spoken || text === '' ? bubble.parts : [...bubble.parts, { kind: 'text', key, text }]
  return { ...bubble, parts, end: status }
}

function outputOf(text: string, key: string): Assistant {
  return { kind: 'assistant', key, model: '', parts: [{ kind: 'text', key, text }], end: 'complete' }
}

/** The bubble that is being written, whatever a command has said since; one whose start was before the log is opened here. */
function onLast(bubbles: readonly Bubble[], key: string, change: (bubble: Assistant) => Assistant): readonly Bubble[] {
  const at = bubbles.findLastIndex((bubble) => bubble.kind === 'assistant' && bubble.end === undefined)
  const open = bubbles[at]
  if (open?.kind === 'assistant') return bubbles.with(at, change(open))
  return [...bubbles, change({ kind: 'assistant', key, model: '', parts: [] })]
}

function cutBefore(bubbles: readonly Bubble[], ordinal: number): readonly Bubble[] {
  const at = bubbles.findIndex((bubble) => bubble.kind === 'user' && bubble.ordinal !== undefined && bubble.ordinal >= ordinal)
  return at < 0 ? bubbles : bubbles.slice(0, at)
}

/** Closes one question, or all of them. */
function closeAsks(bubbles: readonly Bubble[], id?: string): readonly Bubble[] {
  const isMeant = (part: Part): boolean => 'open' in part && part.open && (id === undefined || part.ask.id === id)
  return bubbles.map((bubble) =>
    bubble.kind === 'assistant' && bubble.parts.some(isMeant)
      ? { ...bubble, parts: bubble.parts.map((part) => ('open' in part && isMeant(part) ? { ...part, open: false } : part)) }
      : bubble,
  )
}

type PartEvent = Exclude<
  SessionEvent,
  {
    readonly type:
      | `session.${string}`
      | `prompt.${string}`
      | `command.${string}`
      | 'request.closed'
      | 'message.start'
      | 'usage'
      | 'message.complete'
  }
>

function addPart(parts: readonly Part[], event: PartEvent, key: string): readonly Part[] {
  switch (event.type) {
    case 'message.delta':
      return addText(parts, 'text', event.text, key)
    case 'reasoning.delta':
      return addText(parts, 'reasoning', event.text, key)
    case 'tool.start':
      return [...parts, { kind: 'tool', key: event.id, name: event.name, args: event.args, preview: event.preview, progress: '' }]
    case 'tool.progress':
      return changeTool(parts, event.id, (tool) => ({ ...tool, progress: tool.progress + event.text }))
    case 'tool.complete':
      return changeTool(parts, event.id, (tool) => ({
        ...tool,
        done: { ok: event.ok, text: event.text, durationMs: event.durationMs },
      }))
    case 'approval.request':
      return [...parts, { kind: 'approval', key, ask: event, open: true }]
    case 'clarify.request':
      return [...parts, { kind: 'clarify', key, ask: event, open: true }]
    case 'status':
      return [...parts, { kind: 'notice', key, text: event.text }]
    default:
      return [...parts, { kind: 'error', key, text: event.text }]
  }
}

function addText(parts: readonly Part[], kind: 'text' | 'reasoning', text: string, key: string): readonly Part[] {
  const last = parts.at(-1)
  if (last?.kind === kind) return [...parts.slice(0, -1), { ...last, text: last.text + text }]
  return [...parts, { kind, key, text }]
}

function changeTool(parts: readonly Part[], id: string, change: (tool: ToolPart) => ToolPart): readonly Part[] {
  return parts.map((part) => (part.kind === 'tool' && part.key === id ? change(part) : part))
}
