import { createHash } from 'node:crypto'

/** Name of an answer of ours: the same key gives the same name, and every agent knows the shape. */
export function formatMessageId(address: string, key: string): string {
  const digest = createHash('sha256').update(`${address}\n${key}`).digest('hex').slice(0, 32)
  return `<agent.${digest}@${address.slice(address.lastIndexOf('@') + 1)}>`
}

/** Whether an agent gave this name: mail between two of them would not end. */
export function isAgentMessageId(messageId: string): boolean {
  return /^<agent\.[0-9a-f]{32}@[^@>]+>$/.test(messageId)
}
