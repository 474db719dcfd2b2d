import type { AssistantPart, ModelMessage, ToolOutcome, TurnStatus, Wire } from '@agent/plugin-sdk'
import { outcomeUnknown } from '#agent/turn/run-tool-calls.ts'
import { readEnd } from '#agent/turn/run-turn.ts'
import type { Session } from '#store/sessions.ts'
import type { SessionEvent } from '../protocol.ts'
import { readStored } from './prompt-files.ts'

export interface StoredMessage {
  readonly at: number
  readonly message: ModelMessage
}

export interface StoredEvents {
  readonly events: readonly { readonly at: number; readonly event: SessionEvent }[]
  /** For each prompt how many messages of the session stand before it. */
  readonly marks: readonly number[]
}

/** Events as if somebody had watched while these messages came about. `from`: how many prompts and messages there are before them. */
export function storedEvents(
  { id, provider, model }: Pick<Session, 'id' | 'provider' | 'model'>,
  stored: readonly StoredMessage[],
  from: { readonly prompts: number; readonly messages: number },
): StoredEvents {
  const events: { at: number; event: SessionEvent }[] = []
  const marks: number[] = []
  const calls = new Map<string, string>()
  let last: Said | undefined
  for (const [index, { at, message }] of stored.entries()) {
    const tell = (event: SessionEvent): void => void events.push({ at, event })
    if (message.role !== 'tool') tellLost(calls, tell)
    if (message.role === 'user') {
      tellEnd(last, tell)
      const place = from.messages + index
      tell({ type: 'prompt.accepted', id: `stored-${place}`, ...readStored(message.parts), ordinal: from.prompts + marks.length })
      marks.push(place)
      tell({ type: 'message.start', turn: `stored-${place}`, session: id, provider, model })
      last = { text: '', status: 'complete' }
    } else if (message.role === 'assistant') {
      const said = tellAnswer(message.parts, calls, tell)
      last = last && said
    } else tellResults(message.results, calls, tell)
  }
  tellEnd(last, (event) => events.push({ at: stored.at(-1)?.at ?? 0, event }))
  return { events, marks }
}

type Tell = (event: SessionEvent) => void

interface Said {
  readonly text: string
  readonly status: TurnStatus
}

/** Only of a turn whose beginning was told. */
function tellEnd(said: Said | undefined, tell: Tell): void {
  if (said) tell({ type: 'message.complete', ...said, stop: 'stop' })
}

/** Calls that a crash cut off: nobody knows what became of them. */
function tellLost(calls: Map<string, string>, tell: Tell): void {
  for (const [id, name] of calls) tell({ type: 'tool.complete', ...outcomeUnknown({ id, name }), durationMs: 0 })
  calls.clear()
}

function tellResults(results: readonly ToolOutcome[], calls: Map<string, string>, tell: Tell): void {
  for (const { id, name, ok, text } of results) {
    calls.delete(id)
    tell({ type: 'tool.complete', id, name, ok, text, durationMs: 0 })
  }
}

/** Answers with what was said since the last call, and how it ended. */
function tellAnswer(parts: readonly AssistantPart[], calls: Map<string, string>, tell: Tell): Said {
  let said: Said = { text: '', status: 'complete' }
  for (const part of parts) {
    if (part.type === 'text') {
      // How an answer ended is a note to the model.
      const { text, status } = readEnd(part.text)
      said = { text: said.text + text, status }
      if (text !== '') tell({ type: 'message.delta', text })
    }
    if (part.type === 'call') {
      calls.set(part.id, part.name)
      said = { text: '', status: 'complete' }
      tell({ type: 'tool.start', id: part.id, name: part.name, args: parseArgs(part.args), preview: part.args.slice(0, 80) })
    }
  }
  return said
}

/** The model may have written broken JSON: then its text is shown. */
function parseArgs(text: string): Wire {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
