import { estimateTokens, type ModelMessage, type ToolOutcome } from '@agent/plugin-sdk'

const note =
  '[Background: the earlier part of this conversation was left out here, because it is too long. It is stored, and no part of it is to be done again.]'

/** Cuts a conversation without any engine: the last words of the person stay, and as many of the last steps as fit. */
export function cutShort(messages: readonly ModelMessage[], room: number): readonly ModelMessage[] {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const words = messages[asked]
  const begins = wholeSteps(messages)
  for (const start of begins) {
    const tail = messages.slice(start)
    const shorter = start > asked ? [withNote(words), ...tail] : join(tail)
    if (estimateTokens(shorter) <= room) return shorter
  }
  const last = messages.slice(begins.at(-1) ?? 0)
  const bare = last.map((message) => clipResults(message, Math.floor((room * 2) / countResults(last))))
  return (begins.at(-1) ?? 0) > asked ? [withNote(words), ...bare] : join(bare)
}

/** Where a cut parts no call from its result, the earliest first. The last one leaves what the model is to go on with. */
function wholeSteps(messages: readonly ModelMessage[]): readonly number[] {
  return messages.flatMap(({ role }, at) => (at > 0 && role !== 'tool' ? [at] : []))
}

function withNote(message: ModelMessage | undefined): ModelMessage {
  return { role: 'user', parts: [{ type: 'text', text: note }, ...(message?.role === 'user' ? message.parts : [])] }
}

function join([first, ...others]: readonly ModelMessage[]): readonly ModelMessage[] {
  if (!first || first.role === 'user') return [withNote(first), ...others]
  return [withNote(undefined), first, ...others]
}

const countResults = (messages: readonly ModelMessage[]): number =>
  Math.max(1, messages.flatMap((message) => (message.role === 'tool' ? message.results : [])).length)

function clipResults(message: ModelMessage, most: number): ModelMessage {
  if (message.role !== 'tool') return message
  const clip = (result: ToolOutcome): ToolOutcome =>
    result.text.length <= most ? result : { ...result, text: `${result.text.slice(0, most)}\n[… cut here: the output was too long.]` }
  return { ...message, results: message.results.map(clip) }
}
