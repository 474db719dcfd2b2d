import * as z from 'zod/mini'

const absent = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema))

const message = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: absent(z.union([z.string(), z.array(z.unknown())])),
})

/** The fields of a chat request that are read; everything else that clients send is ignored. */
export const chatBody = z.object({
  model: absent(z.string()),
  messages: z.array(message),
  stream: absent(z.boolean()),
  stream_options: absent(z.object({ include_usage: absent(z.boolean()) })),
  max_tokens: absent(z.int().check(z.gte(1))),
  max_completion_tokens: absent(z.int().check(z.gte(1))),
  temperature: absent(z.number().check(z.gte(0), z.lte(2))),
  reasoning_effort: absent(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])),
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
