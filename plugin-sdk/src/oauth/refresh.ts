import { connect, moreOf, type OAuthClient, type OAuthRun, type OAuthTokens, readTokens } from './client.ts'

/** New tokens for a refresh token; the old one may be worth nothing afterwards. Rejects with LOGIN_ENDED where the grant is gone. */
export async function refresh(client: OAuthClient, refreshToken: string, run: OAuthRun): Promise<OAuthTokens> {
  const { oauth, server, client: own, proof, ask } = await connect(client, run)
  const tokens = await ask('Renewing the login', async (options) => {
    const response = await oauth.refreshTokenGrantRequest(server, own, proof, refreshToken, { ...options, ...moreOf(client) })
    return readTokens(await oauth.processRefreshTokenResponse(server, own, response))
  })
  return { refresh: refreshToken, ...tokens }
}
