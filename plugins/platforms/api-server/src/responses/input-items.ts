import { fail } from '@agent/plugin-sdk/errors'
import type { Item } from '../door/response-object.ts'
import type { ResponseStore } from '../door/response-store.ts'
import { parseValue } from '../wire/body.ts'
import { parseText } from '../wire/content.ts'
import type { ConversationBuilder } from '../wire/conversation.ts'
import { type InputItem, inputItem } from '../wire/wire.ts'
import { callIdOf } from './response-tools.ts'

interface Place {
  /** Names the item for the error. */
  readonly param: string
  readonly store: ResponseStore
}

/** Adds what a client sends of earlier: messages, and the items of earlier responses. */
export function addInputItem(builder: ConversationBuilder, value: unknown, place: Place): void {
  if (typeof value === 'string') {
    builder.say('user', value, place.param)
    return
  }
  const item = parseValue(inputItem, value, place.param)
  const type = item.type ?? 'message'
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined
  if (!read) throw fail('HTTP_CONTENT_PART', { param: place.param, problem: `the type ${type.slice(0, 40)} is not known` })
  read(builder, item, place)
}

/**
 * What says nothing to another model: reasoning and compactions are readable only for the vendor who made them, the others are traces of tools
 * that a vendor ran for itself.
 */
const passedOver = [
  'reasoning',
  'compaction',
  'compaction_summary',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'computer_call',
  'computer_call_output',
  'tool_search_call',
  'tool_search_output',
  'additional_tools',
  'program',
  'program_output',
  'compaction_trigger',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'ghost_snapshot',
]

function readOutput(builder: ConversationBuilder, { call_id, output }: InputItem, { param }: Place): void {
  builder.addResult({ id: required(call_id, `${param}.call_id`), text: textOfOutput({ output }, param) })
}

function textOfOutput({ output }: Pick<InputItem, 'output'>, param: string): string {
  if (typeof output === 'object' && output && !Array.isArray(output)) return JSON.stringify(output)
  return parseText(output, `${param}.output`)
}

/** Calls in the vendor's own forms, which a client ran: the model is told of them as of any other call. */
function readVendorCall(name: string): Reader {
  return (builder, item, { param }) => {
    const args = JSON.stringify(item.action ?? item.operation ?? {})
    builder.addCall(readCall({ ...item, name, arguments: args }, item.call_id ?? item.id, param))
  }
}

/** What a shell printed comes as a list of objects without a type. */
function readVendorOutput(builder: ConversationBuilder, { call_id, id, output }: InputItem, { param }: Place): void {
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? '')
  builder.addResult({ id: required(call_id ?? id, `${param}.call_id`), text })
}

type Reader = (builder: ConversationBuilder, item: InputItem, place: Place) => void

const readers: Readonly<Record<string, Reader>> = {
  message: (builder, { role, content }, { param }) => {
    if (role === 'tool') throw fail('HTTP_INVALID', { param: `${param}.role`, problem: 'is not read: send a function_call_output' })
    builder.say(role ?? 'user', content, `${param}.content`)
  },
  function_call: (builder, item, { param }) => builder.addCall(readCall(item, item.call_id, param)),
  function_call_output: readOutput,
  custom_tool_call: (builder, item, { param }) => {
    builder.addCall(readCall({ ...item, arguments: JSON.stringify({ input: item.input ?? '' }) }, item.call_id, param))
  },
  custom_tool_call_output: readOutput,
  local_shell_call: readVendorCall('local_shell'),
  local_shell_call_output: readVendorOutput,
  shell_call: readVendorCall('shell'),
  shell_call_output: readVendorOutput,
  apply_patch_call: readVendorCall('apply_patch'),
  apply_patch_call_output: readVendorOutput,
  mcp_call: (builder, item, { param }) => {
    const call = readCall(item, item.id && callIdOf(item.id), param)
    builder.addCall(call)
    const ok = item.error === undefined || item.error === null
    builder.addResult({ id: call.id, ok, text: ok ? textOfOutput(item, param) : JSON.stringify(item.error) })
  },
  item_reference: (builder, { id }, { param, store }) => {
    const found = store.findItem(required(id, `${param}.id`))
    if (!found) throw fail('HTTP_NOT_FOUND', { what: `item ${id?.slice(0, 100)}`, param: `${param}.id` })
    addStoredItem(builder, found)
  },
  ...Object.fromEntries(passedOver.map((type) => [type, () => undefined])),
}

function readCall({ name, arguments: args }: InputItem, id: string | null | undefined, param: string) {
  return { type: 'call', id: required(id, `${param}.call_id`), name: required(name, `${param}.name`), args: args ?? '{}' } as const
}

function required(value: string | null | undefined, param: string): string {
  if (value) return value
  throw fail('HTTP_INVALID', { param, problem: 'must be of type string' })
}

function addStoredItem(builder: ConversationBuilder, item: Item): void {
  if (item.type === 'message') builder.addText(item.content.map(({ text }) => text).join(''))
  else if (item.type === 'mcp_call') {
    const id = callIdOf(item.id)
    builder.addCall({ type: 'call', id, name: item.name, args: item.arguments })
    builder.addResult({ id, ok: item.error === null, text: item.output ?? item.error ?? '' })
  } else if (item.type === 'function_call') builder.addCall({ type: 'call', id: item.call_id, name: item.name, args: item.arguments })
  else if (item.type === 'custom_tool_call') {
    builder.addCall({ type: 'call', id: item.call_id, name: item.name, args: JSON.stringify({ input: item.input }) })
  } else if (item.type === 'function_call_output') {
    builder.addResult({ id: item.call_id, ok: true, text: item.output.map(({ text }) => text).join('\n') })
  }
}
