import { estimateTokens, type InputPart, type ModelMessage } from '@agent/plugin-sdk'

const title = '[Background: these turns came before, and are left out.]'

/** Leaves out as many of the oldest turns as it takes. A turn begins with what the person says, so that no call loses its result. */
export function leaveOut(
  messages: readonly ModelMessage[],
  { room, line }: { readonly room: number; readonly line: number },
): readonly ModelMessage[] {
  const begins = messages.flatMap(({ role }, at) => (role === 'user' && at > 0 ? [at] : []))
  for (const start of begins) {
    const left = linesOf(messages.slice(0, start), line)
    const shorter = join(left, messages.slice(start))
    if (estimateTokens(shorter) <= room) return shorter
  }
  return keepLastTurn(messages, { room, line })
}

/** A line for each turn; those of an earlier time are taken along. */
function linesOf(messages: readonly ModelMessage[], line: number): string {
  return messages
    .flatMap((message) => (message.role === 'user' ? message.parts : []))
    .flatMap((part) =>
      part.type !== 'text' ? [] : part.text.startsWith(title) ? part.text.split('\n').slice(1) : [shorten(part.text, line)],
    )
    .slice(-50)
    .join('\n')
}

const shorten = (text: string, most: number): string => `- ${text.replace(/\s+/g, ' ').slice(0, most)}`

function join(left: string, [first, ...others]: readonly ModelMessage[]): readonly ModelMessage[] {
  const background: InputPart = { type: 'text', text: `${title}\n${left}` }
  return first?.role === 'user' ? [{ role: 'user', parts: [background, ...first.parts] }, ...others] : []
}

/** A turn that is too long by itself keeps its last step, or its last answer. */
function keepLastTurn(
  messages: readonly ModelMessage[],
  { room, line }: { readonly room: number; readonly line: number },
): readonly ModelMessage[] {
  const from = messages.findLastIndex(({ role }) => role === 'user')
  const turn = messages.slice(from)
  const step = turn.findLastIndex(({ role }) => role === 'assistant')
  const last = step > 0 ? turn.slice(step) : []
  const short = last.map((message) =>
    message.role === 'tool' ? { ...message, results: message.results.map((result) => clip(result, room)) } : message,
  )
  return join(linesOf(messages.slice(0, from), line), [...turn.slice(0, 1), ...short])
}

function clip<Result extends { readonly text: string }>(result: Result, room: number): Result {
  return { ...result, text: result.text.slice(0, room) }
}
