import type { PromptFile } from '../../../src/rpc/protocol.ts'

/** A prompt that was written and is not accepted yet. `id` is what makes a second sending of it harmless. */
export interface Entry {
  readonly id: string
  readonly text: string
  readonly files?: readonly PromptFile[]
  /** It is on its way: it can be neither edited nor removed. */
  readonly sending?: boolean
  readonly editing?: boolean
  /** Why it was not accepted; it waits until the person sends or changes it. */
  readonly failure?: string | undefined
  /** It takes the place of this prompt and of all that came after it. */
  readonly replaces?: number
}

export type Queue = readonly Entry[]

/** The entry to send now. The first one decides: what is edited or failed holds back what follows, so that the order stays. */
export function nextEntry(queue: Queue, ready: boolean): Entry | undefined {
  const [first] = queue
  if (!ready || first === undefined || first.sending || first.editing || first.failure !== undefined) return undefined
  return first
}

export function changeEntry(queue: Queue, id: string, change: Partial<Entry>): Queue {
  return queue.map((entry) => (entry.id === id ? withoutUndefined({ ...entry, ...change }) : entry))
}

/** `failure: undefined` takes the failure away. */
function withoutUndefined(entry: Entry): Entry {
  const { failure, ...rest } = entry
  return failure === undefined ? rest : entry
}

/** Only what was accepted, or what the person takes out, leaves. */
export function removeEntry(queue: Queue, id: string): Queue {
  return queue.filter((entry) => entry.id !== id)
}

/** What is kept over a reload; that it was on its way or open for editing is not: it is sent again, under the same id. */
export function packQueue(queue: Queue): string {
  return JSON.stringify(queue.map(({ id, text, files, replaces }) => ({ id, text, files, replaces })))
}

export function unpackQueue(text: string | null): Queue {
  try {
    const read: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(read) ? read.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('text' in value)) return false
  return typeof value.id === 'string' && typeof value.text === 'string'
}
