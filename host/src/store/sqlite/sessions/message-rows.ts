import type { ModelMessage } from '@agent/plugin-sdk'
import type { MessageTable } from '../engine/tables.ts'
import { formatWire, parseWire } from '../engine/wire-json.ts'

/** How much of a tool's result search finds. */
const searchedResult = 2_000
/** How much of any message: a book is found by its beginning, and to index it whole would hold everybody up. */
const searchedText = 20_000

/** JSON of what a message holds. */
export function formatParts(message: ModelMessage): string {
  if (message.role === 'tool') return JSON.stringify(message.results)
  // Only a provider's own block may hold bytes; everything else is plain JSON, which is much cheaper to write.
  if (message.role === 'assistant' && message.parts.some((part) => part.type === 'opaque')) return formatWire(message.parts)
  return JSON.stringify(message.parts)
}

/** What search finds of a message. */
export function searchableText(message: ModelMessage): string {
  if (message.role === 'tool')
    return message.results
      .map((result) => result.text.slice(0, searchedResult))
      .join('\n')
      .slice(0, searchedText)
  const texts: string[] = []
  for (const part of message.parts) if (part.type === 'text') texts.push(part.text)
  return texts.join('\n').slice(0, searchedText)
}

/** The message of a row. The row was written by `formatParts`, so that its shape is known. */
export function parseMessage(row: Pick<MessageTable, 'role' | 'parts'>): ModelMessage {
  const parts = parseWire(row.parts)
  return (row.role === 'tool' ? { role: row.role, results: parts } : { role: row.role, parts }) as unknown as ModelMessage
}
