import type { Log } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { FastifyError, FastifyReply } from 'fastify'
import type { ApiError } from '../api.ts'

/** An error of fields: what is wrong stands beside each of them. */
export interface FieldProblems {
  readonly fields: Readonly<Record<string, string>>
}

export const bodyLimit = 1024 * 1024

/** Answers with what a person can do about it; what nobody expected goes to the log and not into the answer. */
export function answerError(reply: FastifyReply, error: unknown, log: Log): FastifyReply {
  const known = isAgentError(error) ? error : translate(error)
  if (!known)
    log.error('the dashboard could not answer', { error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  const told = known ?? fail('INTERNAL', { detail: 'the dashboard could not answer' })
  const fields = isAgentError(error) && 'fields' in error ? (error as unknown as FieldProblems).fields : undefined
  const body: ApiError = { error: { code: told.code, message: told.message, ...(fields ? { fields } : {}) } }
  return reply.code(told.status).header('cache-control', 'no-store').send(body)
}

/** What the server itself refuses. */
function translate(error: unknown): (Error & { code: string; status: number }) | undefined {
  const { code, statusCode, message } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fail('HTTP_BODY_TOO_LARGE', { limit: bodyLimit })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return fail('HTTP_CONTENT_TYPE', { got: 'another type' })
  if (statusCode === 400) return fail('HTTP_BAD_JSON', { detail: message ?? 'it cannot be read' })
  return undefined
}

/** Where several fields of a form are at fault, each is told with its problem. */
export function failFields(fields: Readonly<Record<string, string>>): Error {
  const [[param, problem] = ['the request', 'it does not fit']] = Object.entries(fields)
  return Object.assign(fail('HTTP_INVALID', { param, problem }), { fields })
}
