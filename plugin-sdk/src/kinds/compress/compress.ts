import type { AssistantPart, InputPart, ModelMessage, ToolOutcome } from '../../contract/model.ts'
import type { Call } from '../../contract/wire.ts'

/** A conversation that is to become shorter. */
export interface CompressRequest {
  /** All that the model would hear, the oldest first: roles alternate, and each call stands before its result. Pictures are short references. */
  readonly messages: readonly ModelMessage[]
  /** Tokens that the result may take, as `estimateTokens` counts them. */
  readonly room: number
  /** Tokens that the model takes in all. */
  readonly window: number
  /** How many messages at the beginning and at the end should stay word for word, as far as the room allows. */
  readonly keepFirst: number
  readonly keepLast: number
  /** `threshold`: it fills the share of the window that the settings allow. `overflow`: the model has refused it. `asked`: a person wants it. */
  readonly reason: 'threshold' | 'overflow' | 'asked'
  /** What the person wants to be kept above all. */
  readonly focus?: string
  /** True: it has to reject where no model sums up, instead of doing it without one. */
  readonly onlyByModel?: boolean
}

/** What the model hears instead. */
export interface Compressed {
  readonly messages: readonly ModelMessage[]
}

/** What a context engine opens. */
export interface OpenContextEngine {
  /** A shorter conversation that `findCompressedMisfit` finds nothing wrong with. A failure has a code. */
  compress(request: CompressRequest, call: Call): Promise<Compressed>
}

/** What a picture takes: what most services count for a large one. */
const picture = 1600

/** Tokens of what is sent to a model: rather too many than too few. Four Latin letters are a token, and each letter of another script is one. */
export function estimateTokens(sent: unknown): number {
  let pictures = 0
  const words = JSON.stringify(sent, (_key, value: unknown) => {
    if (!isPicture(value)) return value
    pictures++
    return ''
  })
  return Math.ceil(countLetters(words ?? '')) + pictures * picture
}

function isPicture(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'image' && 'url' in value
}

function countLetters(text: string): number {
  const others = text.match(/[^\0-\u024f]/g)?.length ?? 0
  return others + (text.length - others) / 4
}

type AnyRecord = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is AnyRecord => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'

const isInputPart = (part: unknown): part is InputPart =>
  isRecord(part) && ((part.type === 'text' && isText(part.text)) || (part.type === 'image' && isText(part.url)))

const isAssistantPart = (part: unknown): part is AssistantPart =>
  isRecord(part) &&
  ((part.type === 'text' && isText(part.text)) ||
    (part.type === 'call' && isText(part.id) && isText(part.name) && isText(part.args)) ||
    (part.type === 'opaque' && isText(part.provider) && part.data !== undefined))

const isOutcome = (outcome: unknown): outcome is ToolOutcome =>
  isRecord(outcome) && isText(outcome.id) && isText(outcome.name) && typeof outcome.ok === 'boolean' && isText(outcome.text)

function isMessage(message: unknown): message is ModelMessage {
  if (!isRecord(message)) return false
  const { role, parts, results } = message
  if (role === 'tool') return Array.isArray(results) && results.length > 0 && results.every(isOutcome)
  if (!Array.isArray(parts)) return false
  return role === 'user' ? parts.length > 0 && parts.every(isInputPart) : role === 'assistant' && parts.every(isAssistantPart)
}

/**
 * What is wrong with a compressed conversation; undefined where nothing is. Roles alternate, each call has its result and each result its call,
 * the last message of the person stands word for word, and the model goes on where it would have gone on.
 */
export function findCompressedMisfit(before: readonly ModelMessage[], compressed: unknown): string | undefined {
  if (!isRecord(compressed) || !Array.isArray(compressed.messages)) return 'it has no list messages'
  const messages: readonly unknown[] = compressed.messages
  const wrong = messages.findIndex((message) => !isMessage(message))
  if (wrong !== -1) return `messages[${wrong}] is no message of a user, an assistant or a tool`
  const after = messages as readonly ModelMessage[]
  return findOrderProblem(after) ?? findLoss(before, after)
}

/** After which role a message may stand; the first stands after nothing. */
const follows: Readonly<Record<ModelMessage['role'], readonly (ModelMessage['role'] | undefined)[]>> = {
  user: [undefined, 'assistant', 'tool'],
  assistant: ['user', 'tool'],
  tool: ['assistant'],
}

function findOrderProblem(messages: readonly ModelMessage[]): string | undefined {
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1]
    if (!follows[message.role].includes(before?.role)) return `messages[${at}] of ${message.role} stands after ${before?.role ?? 'nothing'}`
    const calls = before ? callIds(before) : []
    const results = message.role === 'tool' ? message.results.map(({ id }) => id) : []
    if (!isSame(calls, results)) return `messages[${at}] has not exactly the results of the calls before it`
  }
  const last = messages.at(-1)
  if (!last) return 'it has no messages'
  return callIds(last).length > 0 ? 'its last call has no result' : undefined
}

function findLoss(before: readonly ModelMessage[], after: readonly ModelMessage[]): string | undefined {
  const [old, last] = [before.at(-1), after.at(-1)]
  if (old && old.role !== last?.role) return `it ends with a message of ${last?.role}, and ended with one of ${old.role}`
  if (old?.role === 'tool' && last?.role === 'tool' && !isSame(ids(old.results), ids(last.results))) return 'it lacks the last results'
  const [said, kept] = [lastWords(before), lastWords(after)]
  const at = kept.length - said.length
  return at >= 0 && said.every((part, index) => isSamePart(part, kept[at + index]))
    ? undefined
    : 'the last message of the person does not stand in it word for word'
}

const ids = (results: readonly ToolOutcome[]): readonly string[] => results.map(({ id }) => id)

function callIds(message: ModelMessage): readonly string[] {
  return message.role === 'assistant' ? message.parts.flatMap((part) => (part.type === 'call' ? [part.id] : [])) : []
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && new Set(others).size === others.length && some.every((id) => others.includes(id))
}

function lastWords(messages: readonly ModelMessage[]): readonly InputPart[] {
  return messages.findLast((message) => message.role === 'user')?.parts ?? []
}

function isSamePart(part: InputPart, other: InputPart | undefined): boolean {
  if (part.type === 'text') return other?.type === 'text' && other.text === part.text
  return other?.type === 'image' && other.url === part.url
}
