import { errors } from './error-table.ts'
import { hideInUrls } from './hide-in-urls.ts'
import type { WireError } from './wire.ts'

export { errors } from './error-table.ts'

/** The codes of the error table; docs/reference/errors.md of the host has their sentences. */
export type ErrorCode = keyof typeof errors
/** What an error of this code is told about: names and figures, never a secret. */
export type ErrorParams<Code extends ErrorCode> = Parameters<(typeof errors)[Code]['text']>[0]

/** Codes of failures that no waiting mends: what ends with one is not tried again by itself. */
export const finalCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'PLATFORM_AUTH',
  'CREDENTIAL_IN_USE',
  'BIND_UNSAFE',
  'PORT_IN_USE',
  'OFFLINE_MODEL',
  'CONFIG_INVALID',
  'ENV_MISSING',
  'ENV_INVALID',
  'PLUGIN_SHAPE',
  'PLUGIN_UNDECLARED',
])

type ParamsArgument<Code extends ErrorCode> =
  [] extends Parameters<(typeof errors)[Code]['text']>
    ? readonly [params?: undefined, options?: ErrorDetails]
    : readonly [params: ErrorParams<Code>, options?: ErrorDetails]

interface ErrorDetails extends ErrorOptions {
  readonly retryAfterMs?: number
}

/** The only error class. `message` is the user's sentence from the table. */
export class AgentError extends Error {
  override readonly name = 'AgentError'
  readonly code: string
  readonly params: WireError['params']
  readonly status: number
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, params: WireError['params'], status: number, options?: ErrorDetails) {
    super(message, options)
    this.code = code
    this.params = params
    this.status = status
    this.retryAfterMs = options?.retryAfterMs
  }
}

export { hideInUrls } from './hide-in-urls.ts'

/** Makes the error of a code: `throw fail('PROFILE_NOT_FOUND', { profile })`. */
export function fail<Code extends ErrorCode>(code: Code, ...[params, options]: ParamsArgument<Code>): AgentError {
  const given = hideAddresses((params ?? {}) as Readonly<Record<string, string | number | boolean | undefined>>)
  return new AgentError(code, describe(code, given), given, errors[code].status, options)
}

function hideAddresses(params: Readonly<Record<string, string | number | boolean | undefined>>): WireError['params'] {
  const shown = Object.entries(params).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, typeof value === 'string' ? hideInUrls(value) : value] as const],
  )
  return Object.fromEntries(shown)
}

/** Works across copies of this package: compares name and code, not the class. */
export function isAgentError(error: unknown, code?: ErrorCode): error is AgentError {
  return error instanceof Error && error.name === 'AgentError' && 'code' in error && (code === undefined || error.code === code)
}

/** What an error says, or whatever else was thrown. */
export function detailOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What crosses the border of an error; an unknown error becomes INTERNAL with its message. */
export function toWireError(error: unknown): WireError {
  if (isAgentError(error)) {
    return error.retryAfterMs === undefined
      ? { code: error.code, params: error.params }
      : { code: error.code, params: error.params, retryAfterMs: error.retryAfterMs }
  }
  return { code: 'INTERNAL', params: { detail: detailOf(error) } }
}

/** The user's sentence for an error that crossed the border; a code of a newer plugin is shown as it is. */
export function fromWireError(error: WireError): AgentError {
  const code = Object.hasOwn(errors, error.code) ? (error.code as ErrorCode) : undefined
  // Not every error was made by `fail`: the last event of a stream is one, too.
  const params = hideAddresses(error.params)
  const text = code ? describe(code, params) : `${error.code} ${JSON.stringify(params)}`
  const details = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }
  return new AgentError(error.code, text, params, code ? errors[code].status : 500, details)
}

/** A detail may itself be a sentence: its full stop and that of the table are one. */
function describe(code: ErrorCode, params: WireError['params']): string {
  return (errors[code].text as (params: unknown) => string)(params).replace(/(?<=[\w"')])\.\.(?=\s|$)/g, '.')
}
