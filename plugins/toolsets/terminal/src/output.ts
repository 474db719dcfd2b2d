export interface Output {
  push(text: string): void
  /** What was kept. */
  text(): string
}

/** Keeps the first and the last part of a stream, however long it becomes. */
export function createHeadAndTail(limit: number): Output {
  const headLimit = Math.floor(limit * 0.4)
  let head = ''
  const tail = createRolling(limit - headLimit)
  return {
    push(text) {
      const room = headLimit - head.length
      head += text.slice(0, room)
      if (text.length > room) tail.push(text.slice(room))
    },
    text() {
      const missing = tail.dropped()
      return missing === 0 ? head + tail.text() : `${head}\n… ${missing} characters left out …\n${tail.text()}`
    },
  }
}

export interface Rolling extends Output {
  /** How many characters fell out at the front. */
  dropped(): number
  /** What came after the first `position` characters of the whole stream. */
  since(position: number): string
  /** Length of the whole stream. */
  length(): number
}

/** Keeps the last `limit` characters of a stream. */
export function createRolling(limit: number): Rolling {
  let chunks: string[] = []
  let kept = 0
  let length = 0
  const joined = (): string => {
    const text = chunks.join('').slice(-limit)
    chunks = [text]
    kept = text.length
    return text
  }
  return {
    push(text) {
      chunks.push(text)
      kept += text.length
      length += text.length
      if (kept > 2 * limit || chunks.length > 1000) joined()
    },
    text: joined,
    length: () => length,
    dropped: () => length - Math.min(length, limit),
    since: (position) => {
      const text = joined()
      return text.slice(Math.max(0, text.length - (length - position)))
    },
  }
}
