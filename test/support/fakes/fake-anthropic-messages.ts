import { type Body, listOf } from './fake-vendor.ts'

/** The vendor's sentence about what is wrong with the messages. */
export function checkMessages(messages: readonly Body[]): string | undefined {
  if (messages.length === 0) return 'messages: at least one message is required'
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role'
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]
    if (before?.role === message.role) return 'messages: roles must alternate between "user" and "assistant", but found multiple in a row'
    const wrong = checkContent(message, index) ?? checkPairs(before, message, index)
    if (wrong) return wrong
  }
  const last = messages.at(-1)
  return last ? checkPairs(last, { content: [] }, messages.length) : undefined
}

function checkContent({ content }: Body, index: number): string | undefined {
  if (typeof content === 'string') return content === '' ? `messages.${index}: user messages must have non-empty content` : undefined
  if (listOf(content).length === 0) return `messages.${index}: all messages must have non-empty content`
  for (const [place, block] of listOf(content).entries()) {
    const at = `messages.${index}.content.${place}`
    if (block.type === 'text' && String(block.text).trim() === '') return 'messages: text content blocks must contain non-whitespace text'
    if (block.type === 'thinking' && !String(block.signature).startsWith('sig-'))
      return `${at}: Invalid \`signature\` in \`thinking\` block`
    if (block.type === 'tool_use' && (typeof block.input !== 'object' || block.input === null))
      return `${at}.tool_use.input: Input should be a valid dictionary`
    if (block.type === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(String(block.id)))
      return `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`
  }
  return undefined
}

/** Every result answers a use in the message before, and every use is answered in the next one. */
function checkPairs(before: Body | undefined, message: Body, index: number): string | undefined {
  const used = idsOf(before, 'tool_use', 'id')
  const answered = idsOf(message, 'tool_result', 'tool_use_id')
  const stray = answered.find((id) => !used.includes(id))
  if (stray !== undefined) {
    return `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
  }
  const missing = used.filter((id) => !answered.includes(id))
  if (missing.length === 0) return undefined
  return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}.`
}

function idsOf(message: Body | undefined, type: string, field: string): readonly unknown[] {
  return listOf(message?.content)
    .filter((block) => block.type === type)
    .map((block) => block[field])
}
