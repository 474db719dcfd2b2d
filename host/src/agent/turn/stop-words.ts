import type { ModelEvent } from '@agent/plugin-sdk'

/** Ends what a model says before the first of some texts. */
export interface Stopper {
  /** The same events; after the end of the words only the end of the answer follows. */
  read(events: AsyncIterable<ModelEvent>): AsyncIterable<ModelEvent>
  readonly stopped: boolean
}

/** The answer is read to its end all the same: only there the model says what it used. */
export function createStopper(stops: readonly string[]): Stopper {
  let held = ''
  let stopped = false

  function takeText(delta: string): string {
    const said = held + delta
    const end = firstOf(said, stops)
    stopped = end >= 0
    const sure = stopped ? end : said.length - openEnd(said, stops)
    held = stopped ? '' : said.slice(sure)
    return said.slice(0, sure)
  }

  function take(event: ModelEvent): readonly ModelEvent[] {
    if (stopped) return passEnd(event)
    const delta = event.type === 'text' ? takeText(event.delta) : held
    const said: readonly ModelEvent[] = delta === '' ? [] : [{ type: 'text', delta }]
    if (event.type === 'text') return said
    held = ''
    return [...said, event]
  }

  async function* read(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent, void, undefined> {
    for await (const event of events) yield* take(event)
  }

  return {
    read,
    get stopped() {
      return stopped
    },
  }
}

function passEnd(event: ModelEvent): readonly ModelEvent[] {
  if (event.type === 'end') return [{ ...event, reason: 'stop' }]
  return event.type === 'failed' ? [event] : []
}

function firstOf(said: string, stops: readonly string[]): number {
  const places = stops.map((stop) => said.indexOf(stop)).filter((place) => place >= 0)
  return places.length === 0 ? -1 : Math.min(...places)
}

/** How many characters at the end may be the beginning of one of the texts. */
function openEnd(said: string, stops: readonly string[]): number {
  let most = 0
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, said.length); length > most; length--) {
      if (said.endsWith(stop.slice(0, length))) most = length
    }
  }
  return most
}
