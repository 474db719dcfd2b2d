import * as z from 'zod/mini'

const absent = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema))

const role = z.enum(['system', 'developer', 'user', 'assistant', 'tool'])
const content = absent(z.union([z.string(), z.array(z.unknown())]))
const effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
const temperature = absent(z.number().check(z.gte(0), z.lte(2)))
const tokenLimit = absent(z.int().check(z.gte(1)))

const calledFunction = z.object({ name: z.string(), arguments: z.optional(z.string()) })
/** `custom` is a tool that takes text and no object. */
const toolCall = z.object({
  id: z.string(),
  function: absent(calledFunction),
  custom: absent(z.object({ name: z.string(), input: z.string() })),
})
/** One message of a chat: lists of them are long, and are read one by one. */
export const chatMessage = z.object({
  role,
  content,
  tool_calls: absent(z.array(toolCall)),
  tool_call_id: absent(z.string()),
  /** Of an older kind; refused where it is set. */
  function_call: z.optional(z.unknown()),
})

/** A body is JSON, so its objects are looked at no further: copying one of sixty thousand fields would hold everybody up. */
const schema = z.custom<Readonly<Record<string, unknown>>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
const described = {
  name: absent(z.string()),
  description: absent(z.string()),
  parameters: absent(schema),
}
/** A client's tool: chat keeps what it is in a separate part, responses do not. */
const tool = z.object({ type: z.string(), function: absent(z.object(described)), custom: absent(z.object(described)), ...described })
const named = {
  type: absent(z.string()),
  name: absent(z.string()),
  function: absent(z.object({ name: z.string() })),
  custom: absent(z.object({ name: z.string() })),
}
const allowed = { mode: absent(z.enum(['auto', 'required'])), tools: absent(z.array(z.object(named))) }
const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.object({ ...named, ...allowed, allowed_tools: absent(z.object(allowed)) }),
])
const jsonSchema = { name: absent(z.string()), schema: absent(schema) }
const format = z.object({ type: z.enum(['text', 'json_object', 'json_schema']), json_schema: absent(z.object(jsonSchema)), ...jsonSchema })

/** What every request may say about tools. */
const aboutTools = { tools: absent(z.array(tool)), tool_choice: absent(toolChoice), parallel_tool_calls: absent(z.boolean()) }

export type GivenCall = z.output<typeof toolCall>
export type GivenTool = z.output<typeof tool>
export type GivenChoice = z.output<typeof toolChoice>
export type GivenFormat = z.output<typeof format>

const stopText = z.string().check(z.minLength(1), z.maxLength(256))

/** The fields of a chat request that are read; everything else that clients send is ignored. */
export const chatBody = z.object({
  model: absent(z.string()),
  messages: z.array(z.unknown()),
  stream: absent(z.boolean()),
  stream_options: absent(z.object({ include_usage: absent(z.boolean()) })),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  temperature,
  reasoning_effort: absent(effort),
  response_format: absent(format),
  stop: absent(z.union([stopText, z.array(stopText).check(z.maxLength(16))])),
  store: absent(z.boolean()),
  ...aboutTools,
})

export type ChatBody = z.output<typeof chatBody>
export type ChatMessage = z.output<typeof chatMessage>
export type Content = ChatMessage['content']

/** A part of a message whose content is a list. */
export const contentPart = z.object({
  type: z.string(),
  text: z.optional(z.unknown()),
  refusal: z.optional(z.unknown()),
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
  input: absent(z.string()),
  action: z.optional(z.unknown()),
  operation: z.optional(z.unknown()),
  output: absent(z.union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())])),
  error: z.optional(z.unknown()),
})

export type InputItem = z.output<typeof inputItem>

/** What requests for a response and for a run have in common. */
const askedBody = z.object({
  model: absent(z.string()),
  input: z.union([z.string(), z.array(z.unknown())]),
  instructions: absent(z.string()),
  previous_response_id: absent(z.string()),
  conversation_history: absent(z.array(z.unknown())),
  truncation: absent(z.enum(['auto', 'disabled'])),
  temperature,
  max_output_tokens: tokenLimit,
  reasoning: absent(z.object({ effort: absent(effort) })),
  text: absent(z.object({ format: absent(format) })),
  store: absent(z.boolean()),
  ...aboutTools,
})

export type AskedBody = z.output<typeof askedBody>

/** The fields of a request for a response that are read. */
export const responseBody = z.extend(askedBody, {
  conversation: absent(z.union([z.string(), z.object({ id: z.string() })])),
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
