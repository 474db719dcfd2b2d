import {
  type Call,
  type Compressed,
  type CompressRequest,
  type Context,
  type ContextEngine,
  estimateTokens,
  type ModelMessage,
} from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { askForNotes } from './ask-for-notes.ts'
import { type Cooldown, createCooldown } from './cooldown.ts'
import { type Cut, cutConversation } from './cut.ts'
import { gather, type Material, noteByRule, writeNotes } from './notes.ts'
import { clip, clipOutputs, pruneOutputs } from './prune.ts'

const engine: ContextEngine = {
  async open({ models, clock, log }) {
    const cooldown = createCooldown(clock)
    return { compress: (request, call) => compress({ models, log, cooldown }, request, call) }
  },
}

interface Tools extends Pick<Context, 'models' | 'log'> {
  readonly cooldown: Cooldown
}

async function compress(tools: Tools, request: CompressRequest, call: Call): Promise<Compressed> {
  const { messages, room, window, keepLast, reason } = request
  const pruned = pruneOutputs(messages, keepLast)
  // A person who asks for it wants notes.
  if (reason !== 'asked' && estimateTokens(pruned) <= room) return { messages: pruned }
  const answer = Math.floor(Math.max(Math.min(window * 0.05, 12_000, room * 0.4), Math.min(2000, room * 0.4)))
  const cut = cutConversation(request, { head: room * 0.2, tail: (room * 0.95 - answer - room * 0.2) / 1.5 })
  const rooms = { question: Math.floor(window * 0.6), answer }
  const notes = await takeNotes(tools, request, { material: gather(cut.middle, { isOpen: cut.asked.length > 0 }), rooms }, call)
  return { messages: fitInto(room, cut, notes) }
}

async function takeNotes(
  { models, log, cooldown }: Tools,
  { focus, reason, onlyByModel = false }: CompressRequest,
  { material, rooms }: { readonly material: Material; readonly rooms: { readonly question: number; readonly answer: number } },
  call: Call,
): Promise<string> {
  const cause = cooldown.failure(reason !== 'threshold')
  if (cause !== undefined && onlyByModel) throw refusal(cause)
  if (cause === undefined) {
    try {
      const notes = await askForNotes(models, material, { focus, rooms }, call)
      cooldown.succeeded()
      return notes
    } catch (error) {
      if (call.signal.aborted) throw error
      cooldown.failed(error)
      if (onlyByModel) throw refusal(error)
      log.warn('no model wrote notes on a conversation; they are made by rule', { error: detailOf(error) })
    }
  }
  return noteByRule(material, rooms.answer * 3)
}

const refusal = (error: unknown): Error =>
  isAgentError(error) ? error : fail('PLUGIN_FAILED', { plugin: 'context-compressor', during: 'taking notes', detail: detailOf(error) })

/** Puts the parts together, and gives up one thing after the other until they fit. What the model has to answer stays to the end. */
function fitInto(room: number, { head, asked, tail, ...rest }: Cut, notes: string): readonly ModelMessage[] {
  const whole: Cut = { ...rest, head, asked, tail }
  const bare = pruneOutputs(tail, lastStep(tail))
  const ways: readonly (() => readonly ModelMessage[])[] = [
    () => assemble(whole, notes),
    () => assemble({ ...whole, tail: bare }, notes),
    () => assemble({ ...whole, head: [], tail: bare }, notes),
    ...[8000, 2000, 400].map((most) => () => assemble({ ...whole, head: [], tail: bare.map((one) => clipOutputs(one, most)) }, notes)),
    () => assemble({ ...whole, head: [], tail: bare.map((one) => clipOutputs(one, 400)) }, clip(notes, room)),
  ]
  let last: readonly ModelMessage[] = []
  for (const way of ways) {
    last = way()
    if (estimateTokens(last) <= room) return last
  }
  return last
}

/** How many messages at the end the model goes on with. */
function lastStep(tail: readonly ModelMessage[]): number {
  return tail.length - tail.findLastIndex(({ role }) => role !== 'tool')
}

/** Notes are a message of a user, or the beginning of the one that follows: roles alternate. */
function assemble({ head, asked, tail }: Cut, notes: string): readonly ModelMessage[] {
  const background = { type: 'text', text: writeNotes(notes) } as const
  const [next, ...others] = tail
  if (next?.role === 'user') return [...head, { role: 'user', parts: [background, ...next.parts] }, ...others]
  return [...head, { role: 'user', parts: [background, ...asked] }, ...tail]
}

export default engine
