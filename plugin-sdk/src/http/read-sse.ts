import { createParser } from 'eventsource-parser'

/** One event of a stream of server-sent events. */
export interface SseEvent {
  readonly event?: string
  readonly id?: string
  readonly data: string
}

/** The events of a `text/event-stream` body. An event without its closing blank line was cut and is not given. */
export async function* readSse(body: AsyncIterable<Uint8Array>, { maxBytes = 16 * 1024 * 1024 } = {}): AsyncIterable<SseEvent> {
  const decoder = new TextDecoder()
  let ready: SseEvent[] = []
  let broken: Error | undefined
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent: ({ event, id, data }) => {
      ready.push({ data, ...(event === undefined ? {} : { event }), ...(id === undefined ? {} : { id }) })
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') broken = error
    },
  })
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    const events = ready
    ready = []
    yield* events
    if (broken) throw broken
  }
}
