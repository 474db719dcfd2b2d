/** What has to be known of messages that came and went, for as long as somebody may answer them. */
export interface Memory {
  /** We are saying this; its timestamp is known only when it is over, and it may come back before. Resolves what was passed. */
  during<T>(text: string, sending: Promise<T>): Promise<T>
  /** We said this, so that it is not heard when it comes back from another device. */
  addOwn(timestamp: number): void
  isOwn(timestamp: number, text: string): boolean
  /** Somebody said this, and may be quoted. */
  addText(id: string, text: string): void
  textOf(id: string): string
}

const mostKept = 512

export function createMemory(): Memory {
  const own = new Set<number>()
  const texts = new Map<string, string>()
  const underway: string[] = []
  return {
    during: async (text, sending) => {
      underway.push(text)
      return await sending.finally(() => underway.splice(underway.indexOf(text), 1))
    },
    addOwn: (timestamp) => {
      own.add(timestamp)
      for (const oldest of own) if (own.size > mostKept) own.delete(oldest)
    },
    isOwn: (timestamp, text) => own.has(timestamp) || underway.includes(text),
    addText: (id, text) => {
      texts.set(id, text)
      for (const oldest of texts.keys()) if (texts.size > mostKept) texts.delete(oldest)
    },
    textOf: (id) => texts.get(id) ?? '',
  }
}
