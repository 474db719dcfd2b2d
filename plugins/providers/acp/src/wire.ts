import * as z from 'zod/mini'

// The fields that we read of version 1 of the protocol (agentclientprotocol.com). Others may stand beside them.

const name = z.union([z.string(), z.number()])

export const line = z.object({
  id: z.optional(z.nullable(name)),
  method: z.optional(z.string()),
  params: z.optional(z.unknown()),
  result: z.optional(z.unknown()),
  error: z.optional(z.object({ code: z.number(), message: z.catch(z.string(), 'no reason given'), data: z.optional(z.unknown()) })),
})
export type Line = z.output<typeof line>

export const initialized = z.object({
  protocolVersion: z.number(),
  agentCapabilities: z.catch(
    z.object({
      promptCapabilities: z.optional(z.nullable(z.object({ image: z.optional(z.nullable(z.boolean())) }))),
      sessionCapabilities: z.optional(z.nullable(z.object({ close: z.optional(z.nullable(z.object({}))) }))),
    }),
    {},
  ),
})
export type Capabilities = z.output<typeof initialized>['agentCapabilities']

const choice = z.object({ value: z.string() })
const option = z.object({
  id: z.string(),
  category: z.optional(z.nullable(z.string())),
  options: z.catch(z.array(z.union([choice, z.object({ options: z.array(choice) })])), []),
})

export const session = z.object({
  sessionId: z.string(),
  configOptions: z.catch(z.optional(z.nullable(z.array(option))), undefined),
  /** How earlier agents told their models. */
  models: z.catch(z.optional(z.nullable(z.object({ availableModels: z.array(z.object({ modelId: z.string() })) }))), undefined),
})
export type Session = z.output<typeof session>

export const update = z.object({
  sessionId: z.string(),
  update: z.object({ sessionUpdate: z.string(), content: z.optional(z.unknown()) }),
})

export const textContent = z.object({ type: z.literal('text'), text: z.string() })

const count = z.catch(z.optional(z.nullable(z.number())), undefined)
export const prompted = z.object({
  stopReason: z.string(),
  usage: z.catch(
    z.optional(
      z.nullable(
        z.object({ inputTokens: count, outputTokens: count, thoughtTokens: count, cachedReadTokens: count, cachedWriteTokens: count }),
      ),
    ),
    undefined,
  ),
})
