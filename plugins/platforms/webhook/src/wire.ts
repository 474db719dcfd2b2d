import { createHash } from 'node:crypto'
import { findJsonExcess } from '@agent/plugin-sdk'
import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'
import type { SignedRequest } from './signature.ts'

/** Kind of an event, where the payload names it. */
const kind = z.object({ event_type: z.optional(z.string()), event: z.optional(z.string()), type: z.optional(z.string()) })

/** A payload that is nested so deep, or holds so much, that it will never be taken. */
export const excessive = Symbol('excessive')

/** The payload of a request: JSON, or a form, which may carry JSON in its field `payload`. Undefined where it cannot be read. */
export function parsePayload({ headers, body }: SignedRequest): unknown {
  const text = readText(body)
  if (text === undefined) return undefined
  if (!(headers['content-type'] ?? '').toLowerCase().startsWith('application/x-www-form-urlencoded')) return parseValue(text)
  const form = new URLSearchParams(text)
  return form.has('payload') ? parseValue(form.get('payload') ?? '') : Object.fromEntries(form)
}

const parseValue = (text: string): unknown => (findJsonExcess(text) === undefined ? parseJson(text) : excessive)

/** What kind of event it is: by header, else by the payload, else `unknown`. */
export function findEvent({ headers }: SignedRequest, payload: unknown): string {
  const named = headers['x-github-event'] ?? headers['x-gitlab-event']
  if (named) return named
  const { data } = z.safeParse(kind, payload)
  return data?.event_type || data?.event || data?.type || 'unknown'
}

const idHeaders = ['x-github-delivery', 'svix-id', 'webhook-id', 'x-request-id']
const timeHeaders = ['svix-timestamp', 'webhook-timestamp', 'x-webhook-timestamp']

/**
 * The sender's id of a delivery. Without one it is made of what was signed, so that a repetition has the same id;
 * `moment` stands for the time where neither the sender nor a signature says which delivery it is.
 */
export function findId({ headers, body }: SignedRequest, route: string, moment: string): string {
  const given = idHeaders.map((name) => headers[name]).find(Boolean)
  if (given) return given.length <= 200 ? given : digest([given])
  const time = timeHeaders.map((name) => headers[name]).find(Boolean) ?? moment
  return digest([`${route}\n${time}\n`, body])
}

function digest(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex').slice(0, 40)
}

function readText(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
