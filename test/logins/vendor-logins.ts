import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Form = Readonly<Record<string, string>>
type Answer = readonly [status: number, body: object]

export interface VendorLogin extends AsyncDisposable {
  readonly url: string
  /** What was asked, in order. */
  readonly forms: readonly Form[]
}

async function serve(answer: (path: string, form: Form) => Answer): Promise<VendorLogin> {
  const forms: Form[] = []
  const server = createServer(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)))
    forms.push(form)
    const [status, body] = answer(request.url ?? '', form)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forms,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

const challengeOf = (verifier: string | undefined): string =>
  createHash('sha256')
    .update(verifier ?? '')
    .digest('base64url')

export interface MinimaxOptions {
  readonly clientId: string
  /** How often it is asked before the person has typed the code in. */
  readonly pending?: number
  readonly state?: string
  readonly refuses?: true
}

/** The logins of MiniMax: the code that is typed in is asked with, times are absolute milliseconds, pauses too. */
export function startMinimaxLogin({ clientId, pending = 2, state: otherState, refuses }: MinimaxOptions): Promise<VendorLogin> {
  let challenge = ''
  let asked = 0
  let refresh = 'refresh-1'
  const tokens = (): Answer => {
    const generation = Number(refresh.slice(8))
    refresh = `refresh-${generation + 1}`
    const tokens = { access_token: `access-${generation}`, refresh_token: refresh, expired_in: Date.now() + 7_200_000 }
    return [200, { status: 'success', ...tokens, resource_url: 'https://api.minimax.io/anthropic' }]
  }
  return serve((path, form) => {
    if (form.client_id !== clientId) return [400, { error: 'invalid_client' }]
    if (path === '/oauth2/device/code') {
      if (form.response_type !== 'code' || form.code_challenge_method !== 'S256') return [400, { error: 'code_challenge is required' }]
      challenge = form.code_challenge ?? ''
      const shown = { user_code: 'ABCD-EFGH', verification_uri: 'https://platform.minimax.io/oauth-authorize?user_code=ABCD-EFGH' }
      return [200, { ...shown, interval: 3000, expired_in: Date.now() + 300_000, state: otherState ?? form.state }]
    }
    if (form.grant_type === 'refresh_token')
      return form.refresh_token === refresh ? tokens() : [400, { error: 'invalid_grant', error_description: 'it was used' }]
    if (form.grant_type !== 'urn:ietf:params:oauth:grant-type:user_code') return [400, { error: 'unsupported_grant_type' }]
    if (form.user_code !== 'ABCD-EFGH' || challengeOf(form.code_verifier) !== challenge) return [400, { error: 'invalid_grant' }]
    if (refuses) return [200, { status: 'error', base_resp: { status_code: 1004, status_msg: 'no coding plan' } }]
    asked += 1
    return asked > pending ? tokens() : [200, { status: 'pending', base_resp: { status_code: 0, status_msg: '' } }]
  })
}

/** The tokens of Google: every question carries the secret of the client. */
export function startGoogleTokens({
  clientId,
  clientSecret,
}: {
  readonly clientId: string
  readonly clientSecret: string
}): Promise<VendorLogin> {
  return serve((_path, form) => {
    if (form.client_id !== clientId) return [401, { error: 'invalid_client', error_description: 'The OAuth client was not found.' }]
    if (form.client_secret !== clientSecret) return [400, { error: 'invalid_request', error_description: 'client_secret is missing.' }]
    if (form.grant_type === 'refresh_token') return [200, { access_token: 'ya29.second', token_type: 'Bearer', expires_in: 3599 }]
    if (form.redirect_uri?.endsWith('/oauth2callback') !== true || !form.code_verifier) return [400, { error: 'invalid_grant' }]
    return [200, { access_token: 'ya29.first', refresh_token: '1//refresh', token_type: 'Bearer', expires_in: 3599, id_token: 'x.y.z' }]
  })
}
