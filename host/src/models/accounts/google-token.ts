import { createSign } from 'node:crypto'
import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { dispatchRequest } from '../request/dispatch.ts'
import { asRecord } from '../request/refusal.ts'
import type { GoogleKeys } from './google-keys.ts'

export interface GoogleToken {
  readonly token: string
  /** When it ends, by this machine's clock. */
  readonly until: number
  readonly lastsMs: number
  readonly quotaProject: string | undefined
}

const scope = 'https://www.googleapis.com/auth/cloud-platform'

interface Asking {
  readonly provider: string
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Exchanges a signed claim, or a refresh token, for a token that lasts an hour. Throws a coded error. */
export async function fetchGoogleToken(keys: GoogleKeys, { provider, clock, signal }: Asking): Promise<GoogleToken> {
  const begun = clock.now()
  const reply = await dispatchRequest({
    method: 'POST',
    url: keys.tokenUrl,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(grantOf(keys, begun, provider)).toString(),
    signal,
  })
  const body = asRecord(await reply.json().catch(() => undefined)) ?? {}
  const { access_token: token, expires_in: seconds } = body
  if (reply.ok && typeof token === 'string') {
    const lastsMs = (typeof seconds === 'number' ? seconds : 3_600) * 1_000
    return { token, until: begun + lastsMs, lastsMs, quotaProject: keys.proof.type === 'authorized_user' ? keys.quotaProject : undefined }
  }
  throw refusal(keys, provider, reply.status, body)
}

function refusal({ tokenUrl, proof }: GoogleKeys, provider: string, status: number, body: Readonly<Record<string, unknown>>): Error {
  const said = [body.error, body.error_description].filter((text) => typeof text === 'string').join(': ') || `HTTP ${status}`
  const detail = `${tokenUrl.host} gave no token: ${said}`
  if (status === 429) return fail('MODEL_RATE_LIMIT', { provider, detail })
  if (status >= 500) return fail('MODEL_SERVER_ERROR', { provider, detail })
  const again = proof.type === 'authorized_user' && body.error === 'invalid_grant'
  return fail('MODEL_AUTH', { provider, detail: again ? `${detail}; \`gcloud auth application-default login\` logs in again` : detail })
}

function grantOf({ proof, tokenUrl }: GoogleKeys, now: number, provider: string): Record<string, string> {
  if (proof.type === 'service_account') {
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: signClaim(proof, tokenUrl, now, provider) }
  }
  const { clientId, clientSecret, refreshToken } = proof
  return { grant_type: 'refresh_token', client_id: clientId, client_secret: clientSecret, refresh_token: refreshToken }
}

type ServiceAccount = Extract<GoogleKeys['proof'], { readonly type: 'service_account' }>

function signClaim({ email, privateKey, keyId }: ServiceAccount, tokenUrl: URL, now: number, provider: string): string {
  const seconds = Math.floor(now / 1_000)
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId ? { kid: keyId } : {}) }
  const claim = { iss: email, scope, aud: tokenUrl.href, iat: seconds, exp: seconds + 3_600 }
  const text = [header, claim].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  try {
    return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`
  } catch (cause) {
    throw fail('MODEL_AUTH', { provider, detail: 'the private key in the file of the service account cannot be used' }, { cause })
  }
}
