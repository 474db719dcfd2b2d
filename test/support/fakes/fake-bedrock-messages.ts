import { type Body, listOf } from './fake-vendor.ts'

const blockFields: Readonly<Record<string, readonly string[]>> = {
  text: [],
  image: ['format', 'source'],
  toolUse: ['toolUseId', 'name', 'input'],
  toolResult: ['toolUseId', 'content', 'status'],
  reasoningContent: ['reasoningText', 'redactedContent'],
  cachePoint: ['type'],
}

/** The vendor's sentence about what is wrong with the messages. */
export function checkMessages(messages: readonly Body[]): string | undefined {
  if (messages.length === 0 || messages[0]?.role !== 'user')
    return 'A conversation must start with a user message. Try again with a conversation that starts with a user message.'
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]
    if (before?.role === message.role) return 'A conversation must alternate between user and assistant roles.'
    const wrong = checkContent(message, index) ?? checkPairs(before, message, index)
    if (wrong) return wrong
  }
  const last = messages.at(-1)
  return last ? checkPairs(last, {}, messages.length) : undefined
}

function checkContent({ content }: Body, index: number): string | undefined {
  if (listOf(content).length === 0) return `The content field in the Message object at messages.${index} is empty.`
  for (const [place, block] of listOf(content).entries()) {
    const wrong = checkBlock(block, `messages.${index}.content.${place}`)
    if (wrong) return wrong
  }
  return undefined
}

function checkBlock(block: Body, at: string): string | undefined {
  const [kind = '', ...others] = Object.keys(block)
  const known = blockFields[kind]
  if (!known || others.length > 0) return `extraneous key [${others[0] ?? kind}] is not permitted at ${at}`
  const value = block[kind]
  const stranger = Object.keys(typeof value === 'object' && value !== null ? value : {}).find((key) => !known.includes(key))
  if (stranger) return `extraneous key [${stranger}] is not permitted at ${at}.${kind}`
  return checks[kind]?.(value as Body, at)
}

const checks: Readonly<Record<string, (value: Body, at: string) => string | undefined>> = {
  text: (text, at) => (String(text).trim() === '' ? `The text field in the ContentBlock object at ${at} is blank.` : undefined),
  image: ({ format, source }, at) => {
    if (!['png', 'jpeg', 'gif', 'webp'].includes(String(format))) return `${at}.image.format: Member must satisfy enum value set`
    return typeof (source as Body | undefined)?.bytes === 'string' ? undefined : `${at}.image.source: bytes or s3Location`
  },
  toolUse: ({ toolUseId, input }, at) => {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(toolUseId)))
      return `${at}.toolUse.toolUseId: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`
    return typeof input === 'object' && input !== null
      ? undefined
      : `The format of the value at ${at}.toolUse.input is invalid. Provide a json object.`
  },
  toolResult: ({ content }, at) =>
    listOf(content)
      .map((inner) => checkBlock(inner, `${at}.toolResult`))
      .find((wrong) => wrong !== undefined),
  reasoningContent: ({ reasoningText }, at) => {
    const signature = (reasoningText as Body | undefined)?.signature
    return signature === undefined || signature === 'sig-1' ? undefined : `${at}: Invalid \`signature\` in \`thinking\` block`
  },
}

/** Every result answers a use in the message before, and every use is answered in the next one. */
function checkPairs(before: Body | undefined, message: Body, index: number): string | undefined {
  const used = idsOf(before, 'toolUse')
  const answered = idsOf(message, 'toolResult')
  if (answered.length > used.length)
    return `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`
  const missing = used.filter((id) => !answered.includes(id))
  return missing.length === 0
    ? undefined
    : `Expected toolResult blocks at messages.${index}.content for the following Ids: ${missing.join(', ')}`
}

export function idsOf(message: Body | undefined, kind: 'toolUse' | 'toolResult'): readonly unknown[] {
  return listOf(message?.content).flatMap((block) => (block[kind] === undefined ? [] : [(block[kind] as Body).toolUseId]))
}
