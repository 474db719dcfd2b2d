import type { ModelEvent } from '@agent/plugin-sdk'
import type { CallDelta } from './wire.ts'

type CallEvent = Extract<ModelEvent, { type: 'call' }>

interface Gathered {
  id: string
  name: string
  args: string
}

/** Puts streamed parallel calls together: by index where there is one, by id where servers send no index or always the same. */
export function openCallGatherer(newCallId: () => string): { read(part: CallDelta): void; take(): readonly CallEvent[] } {
  const calls: Gathered[] = []
  const byIndex = new Map<number, Gathered>()
  const find = (index: unknown, id: string): Gathered | undefined => {
    if (typeof index !== 'number') return id ? calls.find((call) => call.id === id) : calls.at(-1)
    const found = byIndex.get(index)
    return found && id && found.id && found.id !== id ? calls.find((call) => call.id === id) : found
  }
  const open = (index: unknown, id: string): Gathered => {
    const call = { id, name: '', args: '' }
    calls.push(call)
    if (typeof index === 'number') byIndex.set(index, call)
    return call
  }
  return {
    read(part) {
      if (typeof part !== 'object' || part === null) return
      const id = typeof part.id === 'string' ? part.id : ''
      const call = find(part.index, id) ?? open(part.index, id)
      call.id ||= id
      // Some servers repeat the name in every piece.
      if (typeof part.function?.name === 'string') call.name ||= part.function.name
      call.args += textOf(part.function?.arguments)
    },
    take() {
      const events = calls.map(
        (call): CallEvent => ({ type: 'call', id: call.id || newCallId(), name: call.name, args: call.args || '{}' }),
      )
      calls.length = 0
      byIndex.clear()
      return events
    },
  }
}

/** A few servers send the arguments as an object. */
function textOf(args: unknown): string {
  if (typeof args === 'string') return args
  return typeof args === 'object' && args !== null ? JSON.stringify(args) : ''
}
