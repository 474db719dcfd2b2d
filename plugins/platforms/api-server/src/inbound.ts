import { createHash } from 'node:crypto'
import type { HttpRequest, InputPart, ModelMessage, SessionRef, TurnRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { limited, parseParts, parseText, textOf } from './content.ts'
import { type ChatBody, type ChatMessage, chatBody } from './wire.ts'

/** A chat request: the turn that it asks for, and how its answer is wanted. */
export interface Chat {
  readonly turn: TurnRequest
  /** As the client named it; it is shown and decides nothing. */
  readonly model: string | undefined
  readonly stream: boolean
  readonly includeUsage: boolean
}

/** Reads a chat request. With a session id the stored conversation goes on; without one the request brings its own history. */
export function parseChat(request: HttpRequest, key: string | undefined): Chat {
  const body = parseBody(request.body)
  const session = parseSession(request.headers['x-agent-session-id'], key)
  const { instructions, history, input, first } = readMessages(body.messages)
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens
  return {
    turn: {
      input,
      source: 'api-server',
      canAnswer: false,
      ...(session ? { session } : { session: { key: deriveSession(instructions, first) }, history }),
      ...(instructions ? { instructions } : {}),
      ...(maxOutputTokens ? { maxOutputTokens } : {}),
      ...(typeof body.temperature === 'number' ? { temperature: body.temperature } : {}),
      ...(body.reasoning_effort ? { reasoning: body.reasoning_effort === 'minimal' ? 'low' : body.reasoning_effort } : {}),
    },
    model: body.model?.slice(0, 200) || undefined,
    stream: body.stream === true,
    includeUsage: body.stream_options?.include_usage === true,
  }
}

function parseBody(bytes: Uint8Array): ChatBody {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch (error) {
    throw fail('HTTP_BAD_JSON', { detail: error instanceof Error ? error.message : String(error) })
  }
  const parsed = chatBody.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw fail('HTTP_INVALID', { param: issue?.path.join('.') || 'body', problem: describeIssue(issue) })
}

function describeIssue(issue: { code?: string; expected?: string; values?: readonly unknown[] } | undefined): string {
  if (issue?.code === 'invalid_type') return `must be of type ${issue.expected}`
  if (issue?.code === 'invalid_value') return `must be one of ${issue.values?.join(', ')}`
  return 'is out of range or of another type'
}

/** Only who holds a key may name a session. */
function parseSession(id: string | undefined, key: string | undefined): SessionRef | undefined {
  if (id === undefined) return undefined
  if (key === undefined) throw fail('HTTP_SESSION_KEYLESS')
  if (/^api-[0-9a-f]{16}$/.test(id)) return { key: id }
  if (/^ses_[0-9a-z]{1,64}$/.test(id)) return { id }
  throw fail('HTTP_INVALID', { param: 'X-Agent-Session-Id', problem: 'is not the id of a session' })
}

/** A stateless front end that sends the same conversation again finds the same session. */
function deriveSession(instructions: string, first: string): string {
  return `api-${createHash('sha256').update(`${instructions}\n${first}`).digest('hex').slice(0, 16)}`
}

interface Conversation {
  readonly instructions: string
  readonly history: readonly ModelMessage[]
  readonly input: readonly InputPart[]
  /** Text of the first thing that the user said. */
  readonly first: string
}

/** The last user message is the input. Calls of the client's own tools are passed over: the agent's tools ran here. */
function readMessages(messages: readonly ChatMessage[]): Conversation {
  const instructions: string[] = []
  const said: ModelMessage[] = []
  let first: string | undefined
  for (const [index, { role, content }] of messages.entries()) {
    const param = `messages.${index}.content`
    if (role === 'system' || role === 'developer') instructions.push(limited(parseText(content, param), param))
    else if (role === 'assistant') addAssistant(said, parseText(content, param))
    else if (role === 'user') {
      const parts = parseParts(content, param)
      first ??= textOf(parts)
      addUser(said, parts)
    }
  }
  const last = said.findLastIndex((message) => message.role === 'user')
  const input = said[last]
  if (input?.role !== 'user' || first === undefined) throw fail('HTTP_INVALID', { param: 'messages', problem: 'there is no user message' })
  return { instructions: instructions.filter(Boolean).join('\n'), history: said.slice(0, last), input: input.parts, first }
}

/** Roles alternate: what one side says twice in a row becomes one message. */
function addUser(said: ModelMessage[], parts: readonly InputPart[]): void {
  if (parts.length === 0) return
  const before = said.at(-1)
  if (before?.role === 'user') said[said.length - 1] = { role: 'user', parts: [...before.parts, ...parts] }
  else said.push({ role: 'user', parts })
}

function addAssistant(said: ModelMessage[], text: string): void {
  if (text === '') return
  const before = said.at(-1)
  const part = { type: 'text', text } as const
  if (before?.role === 'assistant') said[said.length - 1] = { role: 'assistant', parts: [...before.parts, part] }
  else said.push({ role: 'assistant', parts: [part] })
}
