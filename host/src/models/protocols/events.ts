import { createParser } from 'eventsource-parser'
import type { AnswerReader, Feed } from './protocol.ts'

/** An event stream, read event by event. */
export function openEventFeed(reader: AnswerReader): Feed {
  const decoder = new TextDecoder()
  const parser = createParser({ onEvent: ({ data }) => reader.read(data), maxBufferSize: 33_554_432 })
  return {
    push: (bytes) => parser.feed(decoder.decode(bytes, { stream: true })),
    // A last event without its empty line still counts.
    end: () => parser.feed('\n\n'),
  }
}
