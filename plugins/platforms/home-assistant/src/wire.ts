import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'

const state = z.object({
  entity_id: z.string(),
  state: z.string(),
  attributes: z.optional(z.record(z.string(), z.unknown())),
  last_changed: z.optional(z.string()),
})

/** How a device or sensor is. */
export type EntityState = z.output<typeof state>

const context = z.object({ id: z.optional(z.string()), user_id: z.optional(z.nullable(z.string())) })
const event = z.object({ event_type: z.string(), data: z.unknown(), time_fired: z.string(), context: z.optional(context) })

export type HomeEvent = z.output<typeof event>

const change = z.object({ entity_id: z.string(), new_state: z.nullable(state), old_state: z.nullable(state) })

export type Change = z.output<typeof change>

const said = z.object({ text: z.string() })

const frame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('auth_required') }),
  z.object({ type: z.literal('auth_ok') }),
  z.object({ type: z.literal('auth_invalid'), message: z.optional(z.string()) }),
  z.object({
    type: z.literal('result'),
    id: z.number(),
    success: z.boolean(),
    result: z.optional(z.unknown()),
    error: z.optional(z.object({ code: z.unknown(), message: z.optional(z.string()) })),
  }),
  z.object({ type: z.literal('event'), id: z.number(), event }),
])

export type Frame = z.output<typeof frame>

const user = z.object({ id: z.string(), name: z.optional(z.nullable(z.string())) })

export type User = z.output<typeof user>

const service = z.object({ description: z.optional(z.string()), fields: z.optional(z.record(z.string(), z.unknown())) })
const domain = z.object({ domain: z.string(), services: z.record(z.string(), service) })

export type Domain = z.output<typeof domain>

/** The frames in one text: servers may send several at once. What is none is left out. */
export function parseFrames(text: string): readonly Frame[] {
  const parsed = parseJson(text)
  return (Array.isArray(parsed) ? parsed : [parsed]).flatMap((one) => z.safeParse(frame, one).data ?? [])
}

export const parseChange = (data: unknown): Change | undefined => z.safeParse(change, data).data
/** What an automation says to the agent. */
export const parseSaid = (data: unknown): string | undefined => z.safeParse(said, data).data?.text
export const parseUser = (result: unknown): User | undefined => z.safeParse(user, result).data
export const parseState = (text: string): EntityState | undefined => z.safeParse(state, parseJson(text)).data
export const parseStates = (text: string): readonly EntityState[] | undefined => z.safeParse(z.array(state), parseJson(text)).data
export const parseDomains = (text: string): readonly Domain[] | undefined => z.safeParse(z.array(domain), parseJson(text)).data

/** The sentence in which the server refuses a request. */
export function parseProblem(text: string): string | undefined {
  return z.safeParse(z.object({ message: z.string() }), parseJson(text)).data?.message ?? (text.trim().slice(0, 200) || undefined)
}
