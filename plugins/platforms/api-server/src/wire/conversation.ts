import type { AssistantPart, InputPart, ModelMessage, ToolOutcome } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { parseValue } from './body.ts'
import { parseParts, parseText, textOf } from './content.ts'
import { type ChatMessage, type Content, chatMessage, type GivenCall } from './wire.ts'

/** What a request says, taken apart. */
export interface Conversation {
  /** System messages, one below the other. */
  readonly instructions: string
  readonly history: readonly ModelMessage[]
  /** What came of calls of the client's tools, at the end. */
  readonly results: readonly ToolOutcome[]
  /** The last user message; empty where only results are brought. */
  readonly input: readonly InputPart[]
  /** Text of the first thing that the user said. */
  readonly first: string
}

/** Gathers messages in their order; roles alternate: what one side says twice in a row becomes one message. */
export interface ConversationBuilder {
  say(role: ChatMessage['role'], content: Content, param: string): void
  /** A message of a chat, with its calls or the call that it answers. */
  addMessage(message: unknown, param: string): void
  addCall(call: Call): void
  addResult(result: Omit<ToolOutcome, 'name' | 'ok'> & { readonly ok?: boolean }): void
  addText(text: string): void
  all(): { readonly messages: readonly ModelMessage[]; readonly instructions: string }
  /** Takes the last user message as the input, and results before or instead of it; `param` names the list for the error. */
  finish(param: string): Conversation
}

/** Messages that still grow: a part that is added costs the same however many there are. */
type Growing =
  | { readonly role: 'user'; readonly parts: InputPart[] }
  | { readonly role: 'assistant'; readonly parts: AssistantPart[] }
  | { readonly role: 'tool'; readonly results: ToolOutcome[] }

export function buildConversation(): ConversationBuilder {
  const instructions: string[] = []
  const said: Growing[] = []
  const names = new Map<string, string>()
  let first: string | undefined

  function sayAsUser(content: Content, param: string): void {
    const parts = parseParts(content, param)
    first ??= textOf(parts)
    if (parts.length === 0) return
    const last = said.at(-1)
    if (last?.role !== 'user') said.push({ role: 'user', parts: [...parts] })
    else for (const part of parts) last.parts.push(part)
  }

  function addAssistant(part: AssistantPart): void {
    const last = said.at(-1)
    if (last?.role === 'assistant') last.parts.push(part)
    else said.push({ role: 'assistant', parts: [part] })
  }

  const addText = (text: string): void => {
    if (text !== '') addAssistant({ type: 'text', text })
  }

  const layered = (): string => instructions.filter(Boolean).join('\n')

  function say(role: ChatMessage['role'], content: Content, param: string): void {
    if (role === 'system' || role === 'developer') instructions.push(parseText(content, param))
    else if (role === 'assistant') addText(parseText(content, param))
    else if (role === 'user') sayAsUser(content, param)
  }

  const addCall = (call: Call): void => {
    names.set(call.id, call.name)
    addAssistant(call)
  }

  const addResult: ConversationBuilder['addResult'] = ({ id, text, ok = true }) => {
    // Its call may stand in a response that this one goes on from.
    const result = { id, ok, text, name: names.get(id) ?? '' }
    const last = said.at(-1)
    if (last?.role === 'tool') last.results.push(result)
    else said.push({ role: 'tool', results: [result] })
  }

  return {
    say,
    addMessage(message, param) {
      const { role, content, tool_calls: calls, tool_call_id: id, function_call: older } = parseValue(chatMessage, message, param)
      if (older) throw fail('HTTP_INVALID', { param: `${param}.function_call`, problem: 'is not read: send tool_calls' })
      if (role !== 'tool') say(role, content, `${param}.content`)
      else if (id) addResult({ id, text: parseText(content, `${param}.content`) })
      else throw fail('HTTP_INVALID', { param: `${param}.tool_call_id`, problem: 'must name the call that this result answers' })
      for (const [index, call] of (calls ?? []).entries()) addCall(readCall(call, `${param}.tool_calls.${index}`))
    },
    addText,
    addCall,
    addResult,
    all: () => ({ messages: said, instructions: layered() }),
    finish(param) {
      const rest = [...said]
      // What the model said last and nobody answered is not told to it again.
      while (rest.at(-1)?.role === 'assistant') rest.pop()
      const user = takeLast(rest, 'user')
      const tool = takeLast(rest, 'tool')
      if (!user && !tool) throw fail('HTTP_INVALID', { param, problem: 'there is no user message' })
      return { instructions: layered(), history: rest, input: user?.parts ?? [], results: tool?.results ?? [], first: first ?? '' }
    },
  }
}

type Call = Extract<AssistantPart, { type: 'call' }>

function readCall({ id, function: called, custom }: GivenCall, param: string): Call {
  if (called) return { type: 'call', id, name: called.name, args: called.arguments ?? '{}' }
  if (custom) return { type: 'call', id, name: custom.name, args: JSON.stringify({ input: custom.input }) }
  throw fail('HTTP_INVALID', { param, problem: 'must have a function' })
}

function takeLast<Role extends Growing['role']>(messages: Growing[], role: Role): Extract<Growing, { role: Role }> | undefined {
  if (messages.at(-1)?.role !== role) return undefined
  return messages.pop() as Extract<Growing, { role: Role }>
}
