import { type AgentError, detailOf, fail, isAgentError } from '../contract/errors.ts'

/** What a server says where a grant is worth nothing any more. */
const ended = new Set([
  'invalid_grant',
  'invalid_token',
  'token_invalidated',
  'token_revoked',
  'refresh_token_reused',
  'unauthorized_client',
])

/** Why a request for tokens did not succeed, as an error of the table. */
export function explain(oauth: typeof import('oauth4webapi'), name: string, error: unknown): AgentError {
  if (isAgentError(error)) return error
  if (error instanceof oauth.ResponseBodyError) {
    const detail = [error.error, error.error_description].filter(Boolean).join(': ')
    return fail(ended.has(error.error) ? 'LOGIN_ENDED' : 'LOGIN_FAILED', { provider: name, detail }, { cause: error })
  }
  if (error instanceof oauth.AuthorizationResponseError)
    return fail('LOGIN_FAILED', { provider: name, detail: [error.error, error.error_description].filter(Boolean).join(': ') })
  if (error instanceof TypeError && error.message === 'fetch failed')
    return fail('MODEL_DISCONNECTED', { provider: name, detail: detailOf(error.cause ?? error) }, { cause: error })
  return fail('LOGIN_FAILED', { provider: name, detail: detailOf(error) }, { cause: error })
}
