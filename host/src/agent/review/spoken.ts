import type { ModelMessage } from '@agent/plugin-sdk'

/** What was said in a conversation. */
export interface SpokenText {
  readonly person?: string
  readonly agent?: string
}

const longestMessage = 4_000

/** What was said and not what tools have read, or files hold: pages and mails are the words of others. */
export function spokenIn(messages: readonly ModelMessage[]): readonly SpokenText[] {
  return messages.flatMap((message): readonly SpokenText[] => {
    if (message.role === 'tool') return []
    const text = message.parts
      .flatMap((part) => (part.type === 'text' && !('file' in part) ? [part.text] : []))
      .join('\n')
      .slice(0, longestMessage)
    if (text.trim() === '') return []
    return [message.role === 'user' ? { person: text } : { agent: text }]
  })
}

/** The last of a conversation is read, in characters. */
const mostRead = 40_000

export function lastOf<Each extends object>(spoken: readonly Each[]): readonly Each[] {
  let left = mostRead
  const from = spoken.findLastIndex((each) => {
    for (const said of Object.values(each)) if (typeof said === 'string') left -= said.length
    return left < 0
  })
  return spoken.slice(from + 1)
}
