import type { HttpReply } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type BodySchema, parseValue, readBody } from './body.ts'

/** A field that cannot be honoured: without it the client would get another answer than it asks for. */
interface Limit {
  /** Values that ask for nothing; null and an absent field are always among them. */
  readonly allows: (value: unknown) => boolean
  readonly problem: string
  /** What it allows asks for something all the same, and has no effect. */
  readonly hasNoEffect?: true
}

/** Fields of one kind of request that are refused with most values. */
export type Limits = Readonly<Record<string, Limit>>

const never = (): boolean => false
const logprobs = 'is not offered: the agent does not know how probable its words were'
const tokenOdds: Limit = { allows: (value) => value === false || value === 0, problem: logprobs }

export const chatLimits: Limits = {
  n: { allows: (value) => value === 1, problem: 'must be 1: the agent gives one answer' },
  logprobs: tokenOdds,
  top_logprobs: tokenOdds,
  modalities: {
    allows: (value) => Array.isArray(value) && value.every((each) => each === 'text'),
    problem: 'must be ["text"]: the agent answers in text',
  },
  audio: { allows: never, problem: 'is not offered: the agent answers in text' },
  functions: { allows: (value) => Array.isArray(value) && value.length === 0, problem: 'is not read: send the functions as tools' },
  function_call: { allows: (value) => typeof value === 'string', problem: 'is not read: send tools and tool_choice' },
}

const storedPrompt: Limit = { allows: never, problem: 'is not offered: send instructions and input' }

export const responseLimits: Limits = {
  background: { allows: (value) => value === false, problem: 'must be false: work that goes on without you is a run (POST /v1/runs)' },
  prompt: storedPrompt,
  top_logprobs: tokenOdds,
  include: {
    allows: (value) => !(Array.isArray(value) && value.includes('message.output_text.logprobs')),
    problem: `message.output_text.logprobs ${logprobs}`,
    hasNoEffect: true,
  },
}

/** A run goes on without its client anyway. */
export const runLimits: Limits = {
  prompt: storedPrompt,
  stream: { allows: (value) => value === false, problem: 'is not read: follow the run by GET /v1/runs/{id}/events' },
}

/** A body, and the names of the fields in it that have no effect. */
export interface Fields<T> {
  readonly body: T
  readonly ignored: readonly string[]
}

export function readFields<T>(schema: BodySchema<T>, bytes: Uint8Array, limits: Limits): Fields<T> {
  const value = readBody(bytes)
  const body = parseValue(schema, value)
  const ignored: string[] = []
  for (const [name, given] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    if (given === null || Object.hasOwn(schema.shape, name)) continue
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined
    if (limit && !limit.allows(given)) throw fail('HTTP_INVALID', { param: name, problem: limit.problem })
    if (!limit || limit.hasNoEffect) ignored.push(name)
  }
  return { body, ignored }
}

/** Tells a client which of its fields have no effect here. */
export function nameIgnored(reply: HttpReply, ignored: readonly string[]): HttpReply {
  const names = ignored.filter((name) => /^[\w.-]{1,64}$/.test(name)).slice(0, 32)
  return names.length === 0 ? reply : { ...reply, headers: { ...reply.headers, 'x-agent-ignored': names.join(', ') } }
}
