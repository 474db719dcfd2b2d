/** What proves that who asks for the tokens is who began the login. */
export interface UserCodeProof {
  readonly grant: string
  readonly verifier: string
  /** Sent when the login begins. */
  readonly parameters: Readonly<Record<string, string>> & { readonly state: string }
}

export async function createUserCodeProof(oauth: typeof import('oauth4webapi')): Promise<UserCodeProof> {
  const verifier = oauth.generateRandomCodeVerifier()
  const challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const state = oauth.generateRandomState()
  return {
    grant: 'urn:ietf:params:oauth:grant-type:user_code',
    verifier,
    parameters: { response_type: 'code', code_challenge: challenge, code_challenge_method: 'S256', state },
  }
}
