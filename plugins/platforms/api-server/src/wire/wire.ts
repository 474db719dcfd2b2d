import * as z from 'zod/mini'

const absent = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema))

const role = z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function'])
const content = absent(z.union([z.string(), z.array(z.unknown())]))
const effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])
const temperature = absent(z.number().check(z.gte(0), z.lte(2)))
const tokenLimit = absent(z.int().check(z.gte(1)))

const message = z.object({ role, content })

/** The fields of a chat request that are read; everything else that clients send is ignored. */
export const chatBody = z.object({
  model: absent(z.string()),
  messages: z.array(message),
  stream: absent(z.boolean()),
  stream_options: absent(z.object({ include_usage: absent(z.boolean()) })),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  temperature,
  reasoning_effort: absent(effort),
})

export type ChatBody = z.output<typeof chatBody>
export type ChatMessage = ChatBody['messages'][number]
export type Content = ChatMessage['content']

/** A part of a message whose content is a list. */
export const contentPart = z.object({
  type: z.string(),
  text: z.optional(z.unknown()),
  image_url: z.optional(z.union([z.string(), z.object({ url: z.optional(z.string()) })])),
})

/** Something that was said or done earlier, as clients send it back. */
export const inputItem = z.object({
  type: absent(z.string()),
  role: absent(role),
  content,
  id: absent(z.string()),
  call_id: absent(z.string()),
  name: absent(z.string()),
  arguments: absent(z.string()),
  output: absent(z.union([z.string(), z.array(z.unknown())])),
  error: z.optional(z.unknown()),
})

export type InputItem = z.output<typeof inputItem>

/** What requests for a response and for a run have in common. */
const askedBody = z.object({
  model: absent(z.string()),
  input: z.union([z.string(), z.array(z.unknown())]),
  instructions: absent(z.string()),
  previous_response_id: absent(z.string()),
  conversation_history: absent(z.array(message)),
  truncation: absent(z.enum(['auto', 'disabled'])),
  temperature,
  max_output_tokens: tokenLimit,
  reasoning: absent(z.object({ effort: absent(effort) })),
})

export type AskedBody = z.output<typeof askedBody>

/** The fields of a request for a response that are read. */
export const responseBody = z.extend(askedBody, {
  conversation: absent(z.union([z.string(), z.object({ id: z.string() })])),
  store: absent(z.boolean()),
  stream: absent(z.boolean()),
  metadata: absent(z.record(z.string(), z.string())),
})

export type ResponseBody = z.output<typeof responseBody>

/** The fields of a request for a run that are read. */
export const runBody = z.extend(askedBody, {
  session_id: absent(z.string()),
  /** The client answers approvals and questions. */
  approvals: absent(z.boolean()),
})

export type RunBody = z.output<typeof runBody>

/** An answer to what a run asks. */
export const approvalBody = z.object({
  /** Of the question; absent: the oldest. */
  id: absent(z.string()),
  choice: absent(z.enum(['once', 'session', 'always', 'deny'])),
  /** Free text, for a question that is no approval. */
  answer: absent(z.string()),
})
