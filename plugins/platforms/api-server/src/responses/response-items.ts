import type { ClientCall, TurnEvent } from '@agent/plugin-sdk'
import type { Config } from '../door/config.ts'
import type { Item, MessageItem, ReasoningItem, Sink, TextPart } from '../door/response-object.ts'
import { addCustomCall, addFunctionCall, type ToolParts, toolItems } from './response-tools.ts'

export interface ItemOptions {
  readonly toolItems: Config['responses']['tool_items']
  /** Names of the client's tools that take text. */
  readonly custom: ReadonlySet<string>
  createId(prefix: string): string
}

/** The list of what a turn said and did. */
export interface Items {
  readonly output: readonly Item[]
  /** True when a message says something. */
  readonly hasText: boolean
  say(type: 'message' | 'reasoning', text: string): void
  startTool(event: Extract<TurnEvent, { type: 'tool.start' }>): void
  completeTool(event: Extract<TurnEvent, { type: 'tool.complete' }>): void
  /** Adds the calls that the client is to run. */
  callClient(calls: readonly ClientCall[]): void
  /** Ends what is still open. */
  close(status: 'completed' | 'incomplete'): void
}

const bursts = {
  message: { prefix: 'msg_', event: 'response.output_text', extra: { logprobs: [] } },
  reasoning: { prefix: 'rs_', event: 'response.reasoning_text', extra: {} },
} as const

interface Burst {
  readonly type: keyof typeof bursts
  readonly index: number
  readonly place: { readonly item_id: string; readonly output_index: number; readonly content_index: 0 }
  /** What every delta of it carries. */
  readonly deltaType: string
  readonly fields: Readonly<Record<string, unknown>>
  text: string
}

export function createItems({ toolItems: form, custom, createId }: ItemOptions, emit: Sink): Items {
  const output: Item[] = []
  /** Place of the item of each call that runs, by call id. */
  const running = new Map<string, number>()
  const add = (item: Item): number => {
    const index = output.push(item) - 1
    emit('response.output_item.added', { output_index: index, item })
    return index
  }
  const replace = (index: number, item: Item): void => {
    output[index] = item
    emit('response.output_item.done', { output_index: index, item })
  }
  const parts: ToolParts = { output, running, add, replace, emit, createId }
  const tools = toolItems[form](parts)
  const texts = createTexts(parts)
  return {
    output,
    get hasText() {
      return texts.said
    },
    say: texts.say,
    startTool(event) {
      if (form !== 'none') texts.close('completed')
      tools.start(event)
    },
    completeTool(event) {
      texts.noteTool()
      tools.complete(event)
    },
    callClient(calls) {
      texts.close('completed')
      for (const call of calls) (custom.has(call.name) ? addCustomCall : addFunctionCall)(parts, call)
    },
    close(status) {
      texts.close(status)
      for (const index of running.values()) {
        const item = output[index]
        if (item) replace(index, { ...item, status: 'incomplete' })
      }
      running.clear()
    },
  }
}

interface Texts {
  /** True when a message says something. */
  readonly said: boolean
  say(type: Burst['type'], text: string): void
  noteTool(): void
  close(status: 'completed' | 'incomplete'): void
}

/** Text that comes without a pause is one item. */
function createTexts({ add, replace, emit, createId }: ToolParts): Texts {
  let burst: Burst | undefined
  let said = false
  let toolRan = false

  function open(type: Burst['type']): Burst {
    const id = createId(bursts[type].prefix)
    const index = add(burstItem(type, id, 'in_progress', []))
    const place = { item_id: id, output_index: index, content_index: 0 } as const
    emit('response.content_part.added', { ...place, part: textPart(type, '') })
    const { event, extra } = bursts[type]
    return { type, index, place, deltaType: `${event}.delta`, fields: { ...place, ...extra }, text: '' }
  }

  function close(status: 'completed' | 'incomplete'): void {
    if (!burst) return
    const { type, place, text, index } = burst
    burst = undefined
    const { event, extra } = bursts[type]
    const part = textPart(type, text)
    emit(`${event}.done`, { ...place, text, ...extra })
    emit('response.content_part.done', { ...place, part })
    replace(index, burstItem(type, place.item_id, status, [part]))
  }

  /** What is said after a tool ran is a separate paragraph: clients join the messages. */
  function separate(text: string): string {
    const gap = toolRan && said && !text.startsWith('\n') ? '\n\n' : ''
    toolRan = false
    said = true
    return gap + text
  }

  return {
    get said() {
      return said
    },
    say(type, text) {
      if (text === '') return
      if (burst?.type !== type) close('completed')
      burst ??= open(type)
      const delta = type === 'message' ? separate(text) : text
      burst.text += delta
      emit(burst.deltaType, burst.fields, delta)
    },
    noteTool() {
      toolRan = true
    },
    close,
  }
}

function burstItem(type: Burst['type'], id: string, status: Item['status'], content: readonly TextPart[]): MessageItem | ReasoningItem {
  return type === 'message' ? { type, id, role: 'assistant', status, content } : { type, id, status, summary: [], content }
}

function textPart(type: Burst['type'], text: string): TextPart {
  return type === 'message' ? { type: 'output_text', text, annotations: [], logprobs: [] } : { type: 'reasoning_text', text }
}
