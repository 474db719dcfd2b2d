import type { Wire } from '@agent/plugin-sdk'
import { asRecord } from '../../request/refusal.ts'
import type { Sink } from '../answer.ts'
import type { Delta } from './wire.ts'

type Detail = Record<string, Wire | undefined>

/** Reasoning as shown, and as it must be given back beside the calls that came of it. */
export function openReasoning(sink: Sink): { read(delta: Delta): void; take(hasCalls: boolean): Wire | undefined } {
  const details: Detail[] = []
  let content = ''
  return {
    read(delta) {
      const named = typeof delta.reasoning_content === 'string'
      const text = named ? delta.reasoning_content : delta.reasoning
      if (typeof text === 'string' && text !== '') {
        sink.emit({ type: 'reasoning', delta: text })
        if (named) content += text
      }
      if (Array.isArray(delta.reasoning_details)) for (const detail of delta.reasoning_details) addDetail(details, detail)
    },
    take(hasCalls) {
      if (!hasCalls) return undefined
      if (details.length > 0) return { reasoning_details: details }
      return content === '' ? undefined : { reasoning_content: content }
    },
  }
}

/** Pieces with the same index are one block: texts are joined, everything else is kept as it came last. */
function addDetail(details: Detail[], piece: unknown): void {
  const record = asRecord(piece) as Detail | undefined
  if (!record) return
  const last = details.at(-1)
  if (!last || last.type !== record.type || last.index !== record.index || record.index === undefined) {
    details.push({ ...record })
    return
  }
  for (const [key, value] of Object.entries(record)) {
    const before = last[key]
    const joined = (key === 'text' || key === 'summary' || key === 'data') && typeof before === 'string' && typeof value === 'string'
    if (joined) last[key] = before + value
    else if (value !== null && value !== undefined) last[key] = value
  }
}
