import * as z from 'zod/mini'

// The fields that we read of the versions 2 and 3 of the AI SDK's language models. Others may stand beside them.

const metadata = z.optional(z.record(z.string(), z.record(z.string(), z.json())))
const count = z.optional(z.nullable(z.number()))

const usage = z.object({
  inputTokens: z.union([count, z.object({ total: count, cacheRead: count, cacheWrite: count })]),
  outputTokens: z.union([count, z.object({ total: count, reasoning: count })]),
  reasoningTokens: count,
  cachedInputTokens: count,
})
export type WireUsage = z.output<typeof usage>

const named = { id: z.string(), providerMetadata: metadata }

/** Parts of an answer that mean something here; all others pass unread. */
export const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text-delta'), ...named, delta: z.string() }),
  z.object({ type: z.literal('text-end'), ...named }),
  z.object({ type: z.literal('reasoning-start'), ...named }),
  z.object({ type: z.literal('reasoning-delta'), ...named, delta: z.string() }),
  z.object({ type: z.literal('reasoning-end'), ...named }),
  z.object({
    type: z.literal('tool-call'),
    toolCallId: z.string(),
    toolName: z.string(),
    input: z.string(),
    providerExecuted: z.optional(z.nullable(z.boolean())),
    providerMetadata: metadata,
  }),
  z.object({ type: z.literal('finish'), usage, finishReason: z.union([z.string(), z.object({ unified: z.string() })]) }),
  z.object({ type: z.literal('error'), error: z.unknown() }),
])
export type Part = z.output<typeof part>
export type Metadata = z.output<typeof metadata>

/** What the packages throw where a service refused: all fields of it may be missing. */
export const refused = z.object({
  message: z.string(),
  statusCode: z.optional(z.number()),
  responseHeaders: z.optional(z.record(z.string(), z.string())),
  responseBody: z.optional(z.string()),
})

/** A block that goes back to the package as it came: a thought, or what belongs to the text or the call beside it. */
export const opaque = z.discriminatedUnion('type', [
  z.object({ type: z.literal('reasoning'), text: z.string(), options: metadata }),
  z.object({ type: z.literal('text'), options: metadata }),
  z.object({ type: z.literal('call'), id: z.string(), options: metadata }),
])
export type Opaque = z.output<typeof opaque>
