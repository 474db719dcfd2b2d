import { fail, isAgentError } from '../contract/errors.ts'
import { type Connected, connect, type OAuthClient, type OAuthRun, type OAuthTokens, readTokens } from './client.ts'
import { createUserCodeProof, type UserCodeProof } from './user-code.ts'

/** What a person opens in a browser, anywhere, and types in there. */
export interface ShownCode {
  readonly address: string
  readonly code: string
  /** The address with the code in it. */
  readonly fullAddress?: string
  readonly lastsMs: number
}

interface DeviceCodeRun extends OAuthRun {
  show(code: ShownCode): void
}

/** Logs in by a code that a person types in elsewhere (RFC 8628): resolves once that is done. */
export async function deviceCode(client: OAuthClient, run: DeviceCodeRun): Promise<OAuthTokens> {
  const { name, scopes = [] } = client
  const connected = await connect(client, run)
  const { oauth, server, client: own, proof, ask } = connected
  const userCode = client.grant === 'user-code' ? await createUserCodeProof(oauth) : undefined
  const begun = await ask('The code', async (options) => {
    const parameters = { ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}), ...userCode?.parameters }
    const response = await oauth.deviceAuthorizationRequest(server, own, proof, parameters, options)
    return oauth.processDeviceAuthorizationResponse(server, own, response)
  })
  if (userCode && begun.state !== userCode.parameters.state)
    throw fail('LOGIN_FAILED', { provider: name, detail: 'its answer belongs to another login' })
  const lastsMs = begun.expires_in * 1000
  const fullAddress = begun.verification_uri_complete
  run.show({ address: begun.verification_uri, code: begun.user_code, lastsMs, ...(fullAddress ? { fullAddress } : {}) })
  let pause = (begun.interval ?? 5) * 1000
  // Counted in pauses: a clock that is set meanwhile changes nothing.
  for (let waited = pause; waited <= lastsMs; waited += pause) {
    await run.clock.sleep(pause, run.signal)
    const answer = await poll(connected, begun.device_code, userCode)
    if (typeof answer === 'object') return answer
    if (answer === 'slower') pause += 5000
  }
  throw fail('LOGIN_FAILED', { provider: name, detail: 'the code was not typed in while it was good' })
}

async function poll(
  { oauth, server, client, proof, ask }: Connected,
  code: string,
  userCode: UserCodeProof | undefined,
): Promise<OAuthTokens | 'pending' | 'slower'> {
  try {
    return await ask('The login', async (options) => {
      if (userCode) {
        const parameters = { user_code: code, code_verifier: userCode.verifier }
        const response = await oauth.genericTokenEndpointRequest(server, client, proof, userCode.grant, parameters, options)
        return readTokens(await oauth.processGenericTokenEndpointResponse(server, client, response))
      }
      const response = await oauth.deviceCodeGrantRequest(server, client, proof, code, options)
      return readTokens(await oauth.processDeviceCodeResponse(server, client, response))
    })
  } catch (error) {
    if (!isAgentError(error)) throw error
    const { cause } = error
    if (cause instanceof oauth.ResponseBodyError) {
      if (cause.error === 'authorization_pending') return 'pending'
      if (cause.error === 'slow_down') return 'slower'
      throw fail('LOGIN_FAILED', { provider: String(error.params.provider), detail: String(error.params.detail) }, { cause })
    }
    // The code stays good while the server is out of reach.
    if (transient.has(error.code)) return 'pending'
    throw error
  }
}

const transient: ReadonlySet<string> = new Set(['MODEL_RATE_LIMIT', 'MODEL_SERVER_ERROR', 'MODEL_DISCONNECTED', 'TIMED_OUT'])
