import type { ModelMessage, ToolOutcome } from '@agent/plugin-sdk'

/** A shorter output stays: leaving it out would save nothing. */
const shortest = 200

/** Leaves long outputs of tools out, except those of the last messages. */
export function pruneOutputs(messages: readonly ModelMessage[], keepLast: number): readonly ModelMessage[] {
  return messages.map((message, at) =>
    message.role === 'tool' && at < messages.length - keepLast ? { ...message, results: message.results.map(withoutText) } : message,
  )
}

function withoutText(result: ToolOutcome): ToolOutcome {
  if (result.text.length <= shortest) return result
  return { ...result, text: `[The output of ${result.name} is left out here: ${result.text.length} characters.]` }
}

/** Cuts a long text in its middle, where it is missed the least. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text
  const note = `\n[… ${text.length - most} characters …]\n`
  const kept = Math.max(0, most - note.length)
  return text.slice(0, Math.ceil(kept * 0.7)) + note + text.slice(text.length - Math.floor(kept * 0.3))
}

/** Outputs of one message, each cut to so many characters. */
export function clipOutputs(message: ModelMessage, most: number): ModelMessage {
  if (message.role !== 'tool') return message
  return { ...message, results: message.results.map((result) => ({ ...result, text: clip(result.text, most) })) }
}
