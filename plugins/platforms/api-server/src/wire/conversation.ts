import type { AssistantPart, InputPart, ModelMessage, ToolOutcome } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { parseParts, parseText, textOf } from './content.ts'
import type { ChatMessage, Content } from './wire.ts'

/** What a request says, taken apart. */
export interface Conversation {
  /** System messages, one below the other. */
  readonly instructions: string
  readonly history: readonly ModelMessage[]
  /** The last user message. */
  readonly input: readonly InputPart[]
  /** Text of the first thing that the user said. */
  readonly first: string
}

/** Gathers messages in their order; roles alternate: what one side says twice in a row becomes one message. */
export interface ConversationBuilder {
  say(role: ChatMessage['role'], content: Content, param: string): void
  addCall(call: Extract<AssistantPart, { type: 'call' }>): void
  addResult(result: Omit<ToolOutcome, 'name'>): void
  addText(text: string): void
  all(): { readonly messages: readonly ModelMessage[]; readonly instructions: string }
  /** Takes the last user message as the input; `param` names the list for the error. */
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

  return {
    say(role, content, param) {
      if (role === 'system' || role === 'developer') instructions.push(parseText(content, param))
      else if (role === 'assistant') addText(parseText(content, param))
      else if (role === 'user') sayAsUser(content, param)
      // Results of the client's own tools are passed over: the agent's tools ran here.
    },
    addText,
    addCall(call) {
      names.set(call.id, call.name)
      addAssistant(call)
    },
    addResult(result) {
      const name = names.get(result.id)
      // A result without its call would mean nothing to a model.
      if (name === undefined) return
      const last = said.at(-1)
      if (last?.role === 'tool') last.results.push({ ...result, name })
      else said.push({ role: 'tool', results: [{ ...result, name }] })
    },
    all: () => ({ messages: said, instructions: layered() }),
    finish(param) {
      const last = said.findLastIndex((message) => message.role === 'user')
      const input = said[last]
      if (input?.role !== 'user' || first === undefined) throw fail('HTTP_INVALID', { param, problem: 'there is no user message' })
      return { instructions: layered(), history: said.slice(0, last), input: input.parts, first }
    },
  }
}
