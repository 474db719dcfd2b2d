import type { AssistantPart, ModelMessage, Wire } from '@agent/plugin-sdk'
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
  let said = ''
  let open = false
  const tell = (at: number, event: SessionEvent): void => void events.push({ at, event })
  const end = (at: number): void => {
    if (open) tell(at, { type: 'message.complete', text: said, status: 'complete', stop: 'stop' })
    open = false
  }
  for (const [index, { at, message }] of stored.entries()) {
    if (message.role === 'user') {
      end(at)
      const place = from.messages + index
      tell(at, { type: 'prompt.accepted', id: `stored-${place}`, ...readStored(message.parts), ordinal: from.prompts + marks.length })
      marks.push(place)
      tell(at, { type: 'message.start', turn: `stored-${place}`, session: id, provider, model })
      said = ''
      open = true
    }
    if (message.role === 'assistant') said = tellAnswer(at, message.parts, tell)
    if (message.role === 'tool')
      for (const { id: call, name, ok, text } of message.results)
        tell(at, { type: 'tool.complete', id: call, name, ok, text, durationMs: 0 })
  }
  end(stored.at(-1)?.at ?? 0)
  return { events, marks }
}

/** Answers with what was said since the last call. */
function tellAnswer(at: number, parts: readonly AssistantPart[], tell: (at: number, event: SessionEvent) => void): string {
  let said = ''
  for (const part of parts) {
    if (part.type === 'text' && part.text !== '') {
      said += part.text
      tell(at, { type: 'message.delta', text: part.text })
    }
    if (part.type === 'call') {
      said = ''
      tell(at, { type: 'tool.start', id: part.id, name: part.name, args: parseArgs(part.args), preview: part.args.slice(0, 80) })
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
