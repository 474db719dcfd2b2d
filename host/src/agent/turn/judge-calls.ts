import type { AssistantPart, ModelMessage, ToolOutcome } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { newId } from '#kernel/ids.ts'
import { callsOf } from './transcript.ts'
import type { CallPart, JudgedAnswer, ModelAnswer, Turn } from './turn.ts'

const reasons = {
  cut: 'the output limit cut it off before its arguments were complete. Make it shorter, or do the work in several calls',
  doubled: 'another call of the same step has the same id. Make the calls one after the other',
  together: 'the request allows one call of its tools in a step. Make this call in a later step',
  unwanted: 'the request allows no tool calls. Answer in words',
}

/**
 * Decides which calls of a step may run, before any of them does. Every call gets an id that no other of the conversation has:
 * results are paired by it. What is refused gets its result here.
 */
export function judgeCalls({ messages, tools, request }: Pick<Turn, 'messages' | 'tools' | 'request'>, answer: ModelAnswer): JudgedAnswer {
  const taken = idsOf(messages)
  const inStep = new Set<string>()
  const refused: ToolOutcome[] = []
  const theirs: CallPart[] = []
  let wasCut = false
  const judge = (call: CallPart, isLast: boolean): CallPart => {
    const doubled = inStep.has(call.id)
    inStep.add(call.id)
    const cut = isCut(answer, call, isLast)
    wasCut ||= cut
    const isTheirs = tools.theirs.has(call.name)
    const together = isTheirs && theirs.length > 0 && request.parallelCalls === false
    const reason = reasonAgainst({ doubled, cut, together, unwanted: request.toolChoice === 'none' })
    // A caller's history is matched with what is known by these ids, and some models count them from 1 in every answer.
    const id = tools.theirs.size > 0 ? newId('call') : freeId(call.id, taken)
    taken.add(id)
    const named = { ...call, id }
    if (!reason && isTheirs) theirs.push(named)
    if (reason) refused.push({ id, name: call.name, ok: false, text: fail('TOOL_CALL_REFUSED', { tool: call.name, reason }).message })
    return named
  }
  const lastSaid = answer.parts.findLastIndex(({ type }) => type !== 'opaque')
  const parts = answer.parts.map((part, index): AssistantPart => (part.type === 'call' ? judge(part, index === lastSaid) : part))
  return { ...answer, parts, calls: parts.filter((part) => part.type === 'call'), theirs, refused, wasCut }
}

function reasonAgainst(flaws: Readonly<Record<keyof typeof reasons, boolean>>): string | undefined {
  if (flaws.unwanted) return reasons.unwanted
  if (flaws.doubled) return reasons.doubled
  if (flaws.cut) return reasons.cut
  return flaws.together ? reasons.together : undefined
}

/** What came last when the output ended early is incomplete, also where its text happens to be JSON: nothing at all becomes `{}` on the way. */
function isCut({ stop }: ModelAnswer, { args }: CallPart, isLast: boolean): boolean {
  if (stop !== 'length' && stop !== 'content-filter') return false
  return isLast || !isJson(args)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Only whether it can be read is asked.
    return false
  }
}

function idsOf(messages: readonly ModelMessage[]): Set<string> {
  const ids = new Set<string>()
  for (const message of messages) if (message.role === 'assistant') for (const { id } of callsOf(message)) ids.add(id)
  return ids
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id
  let count = 2
  while (taken.has(`${id}_${count}`)) count++
  return `${id}_${count}`
}
