import type { AssistantPart, InputPart, ModelMessage, ToolOutcome } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { limited, parseParts, parseText, textOf } from './content.ts'
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

export function buildConversation(): ConversationBuilder {
  const instructions: string[] = []
  const said: ModelMessage[] = []
  const names = new Map<string, string>()
  let first: string | undefined

  function sayAsUser(content: Content, param: string): void {
    const parts = parseParts(content, param)
    first ??= textOf(parts)
    addUser(said, parts)
  }

  const layered = (): string => instructions.filter(Boolean).join('\n')

  return {
    say(role, content, param) {
      if (role === 'system' || role === 'developer') instructions.push(limited(parseText(content, param), param))
      else if (role === 'assistant') addAssistant(said, textParts(parseText(content, param)))
      else if (role === 'user') sayAsUser(content, param)
      // Results of the client's own tools are passed over: the agent's tools ran here.
    },
    addText: (text) => addAssistant(said, textParts(text)),
    addCall(call) {
      names.set(call.id, call.name)
      addAssistant(said, [call])
    },
    addResult(result) {
      const name = names.get(result.id)
      // A result without its call would mean nothing to a model.
      if (name !== undefined) addOutcome(said, { ...result, name })
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

const textParts = (text: string): readonly AssistantPart[] => (text === '' ? [] : [{ type: 'text', text }])

function addUser(said: ModelMessage[], parts: readonly InputPart[]): void {
  if (parts.length === 0) return
  const before = said.at(-1)
  if (before?.role === 'user') said[said.length - 1] = { role: 'user', parts: [...before.parts, ...parts] }
  else said.push({ role: 'user', parts })
}

function addAssistant(said: ModelMessage[], parts: readonly AssistantPart[]): void {
  if (parts.length === 0) return
  const before = said.at(-1)
  if (before?.role === 'assistant') said[said.length - 1] = { role: 'assistant', parts: [...before.parts, ...parts] }
  else said.push({ role: 'assistant', parts })
}

function addOutcome(said: ModelMessage[], outcome: ToolOutcome): void {
  const before = said.at(-1)
  if (before?.role === 'tool') said[said.length - 1] = { role: 'tool', results: [...before.results, outcome] }
  else said.push({ role: 'tool', results: [outcome] })
}
