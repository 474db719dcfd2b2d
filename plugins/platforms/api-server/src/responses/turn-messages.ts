import type { AssistantPart, ModelMessage, ToolOutcome, TurnEvent } from '@agent/plugin-sdk'

/** What a turn said and did, as a later turn is told it. */
export interface TurnMessages {
  take(event: TurnEvent): void
  all(): readonly ModelMessage[]
}

/** Calls that ran beside each other stay in one message; a call after their results begins the next. */
export function createTurnMessages(): TurnMessages {
  const messages: ModelMessage[] = []
  let parts: AssistantPart[] = []
  let results: ToolOutcome[] = []
  let open = 0

  function closeStep(): void {
    if (parts.length > 0) messages.push({ role: 'assistant', parts })
    if (results.length > 0) messages.push({ role: 'tool', results })
    parts = []
    results = []
  }

  function addText(text: string): void {
    const last = parts.at(-1)
    if (last?.type === 'text') parts[parts.length - 1] = { type: 'text', text: last.text + text }
    else parts.push({ type: 'text', text })
  }

  function takeStep(event: Extract<TurnEvent, { type: 'message.delta' | 'tool.start' | 'tool.complete' }>): void {
    if (open === 0 && results.length > 0) closeStep()
    if (event.type === 'message.delta') addText(event.text)
    else if (event.type === 'tool.start') {
      open++
      parts.push({ type: 'call', id: event.id, name: event.name, args: JSON.stringify(event.args) })
    } else {
      open = Math.max(0, open - 1)
      results.push({ id: event.id, name: event.name, ok: event.ok, text: event.text })
    }
  }

  return {
    take(event) {
      // Calls that the client is to run belong to the last step.
      if (event.type === 'message.complete') for (const call of event.calls ?? []) parts.push({ type: 'call', ...call })
      else if (event.type === 'message.delta' || event.type === 'tool.start' || event.type === 'tool.complete') takeStep(event)
    },
    all() {
      closeStep()
      return messages
    },
  }
}
