/** A text that grows without measure, of which the first and the last part are kept. The terminal has one as well: a plugin imports nothing of another one. */
export interface HeadAndTail {
  push(text: string): void
  text(): string
}

export function createHeadAndTail(limit: number): HeadAndTail {
  const headLimit = Math.floor(limit * 0.4)
  const tailLimit = limit - headLimit
  let head = ''
  let tail = ''
  let missing = 0
  const shorten = (): void => {
    missing += Math.max(0, tail.length - tailLimit)
    tail = tail.slice(-tailLimit)
  }
  return {
    push(text) {
      const room = headLimit - head.length
      head += text.slice(0, room)
      tail += text.slice(room)
      if (tail.length > 2 * tailLimit) shorten()
    },
    text() {
      shorten()
      return missing === 0 ? head + tail : `${head}\n… ${missing} characters left out …\n${tail}`
    },
  }
}
