import { isAgentError } from '@agent/plugin-sdk/errors'
import { RequestError } from '@agentclientprotocol/sdk'

/** What a person mends by choosing a model, or by giving its key. */
const needsSetup: ReadonlySet<string> = new Set([
  ...['NO_PROVIDER', 'PROVIDER_UNKNOWN', 'MODEL_MISSING', 'ENV_MISSING'],
  ...['LOGIN_NEEDED', 'LOGIN_ENDED', 'MODEL_AUTH'],
])

/** Numbers of JSON-RPC errors. */
const numbers = { auth: -32_000, notFound: -32_002, params: -32_602, failed: -32_603 } as const

export const refuseParams = (sentence: string): RequestError => new RequestError(numbers.params, sentence)

/** An error of the table, as an editor shows it: the sentence is the message. */
export function refusalOf({ code, message }: { readonly code: string; readonly message: string }): RequestError {
  const number = needsSetup.has(code) ? numbers.auth : code === 'SESSION_NOT_FOUND' ? numbers.notFound : numbers.failed
  return new RequestError(number, message, { code })
}

/** What a request failed with, for the editor; what nobody expected is written down and not told. */
export async function toRefusal(error: unknown, logUnexpected: (error: unknown) => Promise<unknown>): Promise<RequestError> {
  if (error instanceof RequestError) return error
  if (isAgentError(error)) return refusalOf(error)
  await logUnexpected(error)
  return new RequestError(numbers.failed, 'Something failed inside. The log says more: agent logs')
}
