import type { Wire } from '@agent/plugin-sdk'
import type { EventFrame, SessionEvent, ShownFile } from '../../../src/rpc/protocol.ts'

type EventOf<T extends SessionEvent['type']> = Extract<SessionEvent, { readonly type: T }>

export interface ToolPart {
  readonly kind: 'tool'
  readonly key: string
  readonly name: string
  readonly args: Wire
  readonly preview: string
  readonly progress: string
  readonly done?: { readonly ok: boolean; readonly text: string; readonly durationMs: number }
  /** It is a child agent; 1 is one of the answer itself, and each below it has one more. */
  readonly depth?: number
}

export type Part =
  | { readonly kind: 'text' | 'reasoning'; readonly key: string; readonly text: string }
  | { readonly kind: 'notice' | 'error'; readonly key: string; readonly text: string }
  | { readonly kind: 'approval'; readonly key: string; readonly ask: EventOf<'approval.request'>; readonly open: boolean }
  | { readonly kind: 'clarify'; readonly key: string; readonly ask: EventOf<'clarify.request'>; readonly open: boolean }
  | ToolPart

export type Bubble =
  /** `ordinal` is absent for a slash command, which cannot be edited and sent again. */
  | {
      readonly kind: 'user'
      readonly key: string
      readonly text: string
      readonly ordinal: number | undefined
      readonly files?: readonly ShownFile[]
    }
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
  if (!frames.some(({ seq }) => seq > log.seq)) return log
  // The list is copied once for all frames: a long past would be copied again with each of them.
  const draft: Draft = { ...log, bubbles: [...log.bubbles], mayAsk: log.bubbles.some(isAsking) }
  for (const frame of frames) {
    if (frame.seq <= draft.seq) continue
    apply(draft, frame)
    draft.seq = frame.seq
  }
  const { mayAsk: _, ...next } = draft
  return next
}

/** A log that is being drawn on: its list is changed in place, its bubbles are not. */
interface Draft extends Omit<Writable<ChatLog>, 'bubbles'> {
  readonly bubbles: Bubble[]
  /** A question of some bubble may be open. */
  mayAsk: boolean
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Something between the last frame and this one is missing. */
export function hasGap(log: ChatLog, frame: EventFrame): boolean {
  return frame.seq > log.seq + 1
}

function apply(draft: Draft, { seq, event }: EventFrame): void {
  const key = String(seq)
  const { bubbles } = draft
  switch (event.type) {
    case 'session.status':
      draft.status = event.status
      if (event.status !== 'waiting') closeAsks(draft)
      return
    case 'session.title':
      draft.title = event.title
      return
    case 'session.truncated':
      cutBefore(bubbles, event.ordinal)
      return
    case 'prompt.accepted':
      bubbles.push({ kind: 'user', key, text: event.text, ordinal: event.ordinal, ...(event.files && { files: event.files }) })
      return
    case 'command.accepted':
      bubbles.push({ kind: 'user', key, text: event.text, ordinal: undefined })
      return
    case 'command.output':
      bubbles.push(outputOf(event.text, key))
      return
    case 'request.closed':
      closeAsks(draft, event.id)
      return
    case 'prompt.queued':
    case 'session.next':
      return
    default:
      applyTurn(draft, event, key)
  }
}

function applyTurn(draft: Draft, event: TurnPart, key: string): void {
  const { bubbles } = draft
  switch (event.type) {
    case 'message.start':
      bubbles.push({ kind: 'assistant', key, model: event.model, parts: [] })
      return
    case 'usage':
      draft.used = { input: event.usage.input, output: event.usage.output }
      return
    case 'message.complete':
      closeAsks(draft)
      onLast(bubbles, key, (bubble) => complete(bubble, event, key))
      return
    default:
      if (event.type === 'approval.request' || event.type === 'clarify.request') draft.mayAsk = true
      onLast(bubbles, key, (bubble) => ({ ...bubble, parts: addPart(bubble.parts, event, key) }))
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
function onLast(bubbles: Bubble[], key: string, change: (bubble: Assistant) => Assistant): void {
  const at = bubbles.findLastIndex((bubble) => bubble.kind === 'assistant' && bubble.end === undefined)
  const open = bubbles[at]
  if (open?.kind === 'assistant') bubbles[at] = change(open)
  else bubbles.push(change({ kind: 'assistant', key, model: '', parts: [] }))
}

function cutBefore(bubbles: Bubble[], ordinal: number): void {
  const at = bubbles.findIndex((bubble) => bubble.kind === 'user' && bubble.ordinal !== undefined && bubble.ordinal >= ordinal)
  if (at >= 0) bubbles.length = at
}

const isOpen = (part: Part): boolean => 'open' in part && part.open
const isAsking = (bubble: Bubble): boolean => bubble.kind === 'assistant' && bubble.parts.some(isOpen)

/** Closes one question, or all of them. */
function closeAsks(draft: Draft, id?: string): void {
  if (!draft.mayAsk) return
  const { bubbles } = draft
  const isMeant = (part: Part): boolean => 'open' in part && part.open && (id === undefined || part.ask.id === id)
  for (const [at, bubble] of bubbles.entries()) {
    if (bubble.kind !== 'assistant' || !bubble.parts.some(isMeant)) continue
    bubbles[at] = { ...bubble, parts: bubble.parts.map((part) => ('open' in part && isMeant(part) ? { ...part, open: false } : part)) }
  }
  draft.mayAsk = bubbles.some(isAsking)
}

type TurnPart = Exclude<SessionEvent, { readonly type: `session.${string}` | `prompt.${string}` | `command.${string}` | 'request.closed' }>
type PartEvent = Exclude<TurnPart, { readonly type: 'message.start' | 'usage' | 'message.complete' }>

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
    case 'subagent.spawn_requested':
    case 'subagent.start':
    case 'subagent.tool':
    case 'subagent.complete':
      return changeChild(parts, event)
    default:
      return [...parts, { kind: 'error', key, text: event.text }]
  }
}

/** A child agent is a row like a tool: what it is to do, its calls as they come, and how it ended. It stands below its parent. */
function changeChild(parts: readonly Part[], event: Extract<PartEvent, { readonly type: `subagent.${string}` }>): readonly Part[] {
  const { id, goal, depth, parent } = event
  switch (event.type) {
    case 'subagent.spawn_requested':
      return addBelow(parts, parent, {
        kind: 'tool',
        key: id,
        name: 'child agent',
        args: { task: goal },
        preview: goal,
        progress: '',
        depth,
      })
    case 'subagent.tool':
      return changeTool(parts, id, (tool) => ({ ...tool, progress: `${tool.progress}${event.name} ${event.preview}\n` }))
    case 'subagent.complete': {
      const { status, text, durationMs } = event
      const done = { ok: status === 'completed', text: text === '' ? status : text, durationMs }
      return changeTool(parts, id, (tool) => ({ ...tool, done }))
    }
    default:
      return parts
  }
}

const depthOf = (part: Part | undefined): number => (part?.kind === 'tool' ? (part.depth ?? 0) : 0)

/** Behind all that stands below the parent; at the end where that is not here. */
function addBelow(parts: readonly Part[], parent: string | undefined, child: ToolPart): readonly Part[] {
  const above = parent === undefined ? -1 : parts.findIndex((part) => part.kind === 'tool' && part.key === parent)
  if (above < 0) return [...parts, child]
  const deep = depthOf(parts[above])
  const after = parts.findIndex((part, at) => at > above && depthOf(part) <= deep)
  return after < 0 ? [...parts, child] : parts.toSpliced(after, 0, child)
}

function addText(parts: readonly Part[], kind: 'text' | 'reasoning', text: string, key: string): readonly Part[] {
  const last = parts.at(-1)
  if (last?.kind === kind) return [...parts.slice(0, -1), { ...last, text: last.text + text }]
  return [...parts, { kind, key, text }]
}

function changeTool(parts: readonly Part[], id: string, change: (tool: ToolPart) => ToolPart): readonly Part[] {
  return parts.map((part) => (part.kind === 'tool' && part.key === id ? change(part) : part))
}
