import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import type { AnswerReader, Feed } from './protocol.ts'

const byteOrderMark = '\ufeff'

/** An event stream, read event by event. */
export function openEventFeed(reader: AnswerReader): Feed {
  // A `TextDecoder` that streams makes two bytes of each letter, and all that reads them takes longer.
  const decoder = new StringDecoder('utf8')
  const parser = createParser({ onEvent: ({ data }) => reader.read(data), maxBufferSize: 33_554_432 })
  let isFirst = true
  return {
    push(bytes) {
      const text = decoder.write(bytes)
      if (text === '') return
      parser.feed(isFirst && text.startsWith(byteOrderMark) ? text.slice(1) : text)
      isFirst = false
    },
    // A last event without its empty line still counts.
    end: () => parser.feed('\n\n'),
  }
}
