/** A chat, and the forum topic in it where there is one. */
export interface Place {
  readonly chat: string
  readonly topic?: number
}

/** The topic "General" is the chat itself: Telegram names it 1 in some places and not at all in others. */
const general = 1

export function formatPlace(chat: number | string, topic?: number): string {
  return topic === undefined || topic === general ? String(chat) : `${chat}/${topic}`
}

/** Undefined for what names no chat: an id or the name of a public channel, and a topic behind a slash. */
export function parsePlace(conversation: string): Place | undefined {
  const [, chat, topic] = /^(-?\d+|@\w+)(?:\/(\d+))?$/.exec(conversation) ?? []
  if (chat === undefined) return undefined
  return topic === undefined || Number(topic) === general ? { chat } : { chat, topic: Number(topic) }
}

/** Telegram counts the messages of each chat from 1, so that a number alone names many. */
export function formatMessageId(chat: number | string, message: number): string {
  return `${chat}:${message}`
}

export function parseMessageId(id: string): { readonly chat: string; readonly message: number } | undefined {
  const [, chat, message] = /^(-?\d+|@\w+):(\d+)$/.exec(id) ?? []
  return chat === undefined ? undefined : { chat, message: Number(message) }
}
