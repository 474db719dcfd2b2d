import type { TurnEvent } from '@agent/plugin-sdk'

/** What the headers of an answer say of its turn. Empty: the turn has not said it. */
export interface TurnAbout {
  readonly session: string
  /** The model that really answers, `provider/model`. */
  readonly answeredBy: string
}

export const unknownTurn: TurnAbout = { session: '', answeredBy: '' }

/** What is known after an event. */
export function learn(about: TurnAbout, event: TurnEvent): TurnAbout {
  if (event.type === 'message.start') return { session: event.session, answeredBy: `${event.provider}/${event.model}` }
  return event.type === 'status' && event.kind === 'fallback' ? { ...about, answeredBy: event.model } : about
}

export function turnHeaders({ session, answeredBy }: TurnAbout): Readonly<Record<string, string>> {
  return {
    ...(session === '' ? {} : { 'x-agent-session-id': session }),
    // A header holds letters of ASCII alone; the name of a model may have others.
    ...(answeredBy === '' ? {} : { 'x-agent-model': answeredBy.replace(/[^\x20-\x7e]/g, '?') }),
  }
}
