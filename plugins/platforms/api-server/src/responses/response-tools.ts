import type { ClientCall, TurnEvent } from '@agent/plugin-sdk'
import type { Config } from '../door/config.ts'
import type { Item, Sink } from '../door/response-object.ts'
import { textArgumentOf } from '../wire/client-tools.ts'

export interface ToolParts {
  readonly output: Item[]
  readonly running: Map<string, number>
  add(item: Item): number
  replace(index: number, item: Item): void
  readonly emit: Sink
  createId(prefix: string): string
}

/** How tools that run here are shown. */
export interface Tools {
  start(event: Extract<TurnEvent, { type: 'tool.start' }>): void
  complete(event: Extract<TurnEvent, { type: 'tool.complete' }>): void
}

const silentTools = (_parts: ToolParts): Tools => ({ start: () => undefined, complete: () => undefined })

const ownCall = /^call_[0-9a-z]{23}$/

/** Ids that the agent gave are never given twice; an item that carries one is known again when a client sends it back. */
const itemIdOf = (call: string): string | undefined => (ownCall.test(call) ? `mcp_${call}` : undefined)

/** The call that an `mcp_call` item tells of. */
export function callIdOf(item: string): string {
  const call = item.replace(/^mcp_/, '')
  return ownCall.test(call) ? call : item
}

function createMcpCalls({ output, running, add, replace, emit, createId }: ToolParts): Tools {
  return {
    start({ id, name, args }) {
      const item = {
        type: 'mcp_call',
        id: itemIdOf(id) ?? createId('mcp_'),
        status: 'in_progress',
        server_label: 'agent',
        name,
        arguments: '',
        output: null,
        error: null,
        approval_request_id: null,
      } as const
      const index = add(item)
      const place = { item_id: item.id, output_index: index }
      const text = JSON.stringify(args)
      emit('response.mcp_call.in_progress', place)
      emit('response.mcp_call_arguments.delta', { ...place, delta: text })
      emit('response.mcp_call_arguments.done', { ...place, arguments: text })
      output[index] = { ...item, arguments: text }
      running.set(id, index)
    },
    complete({ id, ok, text }) {
      const index = running.get(id)
      const item = index === undefined ? undefined : output[index]
      if (index === undefined || item?.type !== 'mcp_call') return
      running.delete(id)
      emit(ok ? 'response.mcp_call.completed' : 'response.mcp_call.failed', { item_id: item.id, output_index: index })
      replace(index, { ...item, status: ok ? 'completed' : 'failed', ...(ok ? { output: text } : { error: text }) })
    },
  }
}

function createFunctionCalls({ output, running, add, replace, emit, createId }: ToolParts): Tools {
  return {
    start({ id, name, args }) {
      const item = { type: 'function_call', id: createId('fc_'), call_id: id, status: 'in_progress', name, arguments: '' } as const
      const index = add(item)
      const place = { item_id: item.id, output_index: index }
      const text = JSON.stringify(args)
      emit('response.function_call_arguments.delta', { ...place, delta: text })
      emit('response.function_call_arguments.done', { ...place, name, arguments: text })
      output[index] = { ...item, arguments: text }
      running.set(id, index)
    },
    complete({ id, text }) {
      const index = running.get(id)
      const item = index === undefined ? undefined : output[index]
      if (index === undefined || !item) return
      running.delete(id)
      replace(index, { ...item, status: 'completed' })
      const result = {
        type: 'function_call_output',
        id: createId('fco_'),
        call_id: id,
        status: 'in_progress',
        output: [{ type: 'input_text', text }],
      } as const
      replace(add(result), { ...result, status: 'completed' })
    },
  }
}

/** A call that the client is to run. */
export function addFunctionCall({ add, replace, emit, createId }: ToolParts, { id, name, args }: ClientCall): void {
  const text = args || '{}'
  const item = { type: 'function_call', id: createId('fc_'), call_id: id, status: 'in_progress', name, arguments: '' } as const
  const index = add(item)
  const place = { item_id: item.id, output_index: index }
  emit('response.function_call_arguments.delta', { ...place, delta: text })
  emit('response.function_call_arguments.done', { ...place, name, arguments: text })
  replace(index, { ...item, status: 'completed', arguments: text })
}

/** The same for a tool that takes text. */
export function addCustomCall({ add, replace, emit, createId }: ToolParts, { id, name, args }: ClientCall): void {
  const text = textArgumentOf(args)
  const item = { type: 'custom_tool_call', id: createId('ctc_'), call_id: id, status: 'in_progress', name, input: '' } as const
  const index = add(item)
  const place = { item_id: item.id, output_index: index }
  emit('response.custom_tool_call_input.delta', { ...place, delta: text })
  emit('response.custom_tool_call_input.done', { ...place, input: text })
  replace(index, { ...item, status: 'completed', input: text })
}

/** The ways to show tools, as the configuration names them. */
export const toolItems: Readonly<Record<Config['responses']['tool_items'], (parts: ToolParts) => Tools>> = {
  mcp_call: createMcpCalls,
  function_call: createFunctionCalls,
  none: silentTools,
}
