/** A person as signal-cli tells them. */
export interface Person {
  readonly uuid?: string | null | undefined
  readonly number?: string | null | undefined
}

/** The id of a person: it stays when the number changes, and it is known where the number is hidden. */
export const personId = ({ uuid, number }: Person): string | undefined => uuid ?? number ?? undefined

const person = /^(\+\d{5,15}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i
const group = /^[A-Za-z\d+/]{20,}={0,2}$/

/** To whom a method speaks; undefined for what is neither a person nor a group. */
export function formatTarget(conversation: string): { recipient: readonly string[] } | { groupId: string } | undefined {
  if (person.test(conversation)) return { recipient: [conversation] }
  return group.test(conversation) ? { groupId: conversation } : undefined
}

/** Signal knows a message by who wrote it and when. */
export const formatMessageId = (author: string, timestamp: number): string => `${author}:${timestamp}`

export function parseMessageId(id: string): { readonly author: string; readonly timestamp: number } | undefined {
  const [, author = '', timestamp] = /^(.+):(\d+)$/.exec(id) ?? []
  return person.test(author) ? { author, timestamp: Number(timestamp) } : undefined
}
