import type { ProviderManifest } from '@agent/plugin-sdk'
import type { OAuthClient } from '@agent/plugin-sdk/oauth'

export type LoginManifest = NonNullable<ProviderManifest['login']>

/** Who logs in where, for the flows. */
export function clientOf(
  provider: string,
  manifest: Exclude<LoginManifest, { kind: 'cli' }>,
  { clientId, clientSecret, clientAuth }: Pick<OAuthClient, 'clientId' | 'clientSecret' | 'clientAuth'>,
): OAuthClient {
  const { issuer, tokenUrl, scopes } = manifest
  return {
    name: provider,
    clientId,
    scopes,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(clientAuth === undefined ? {} : { clientAuth }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
    ...(manifest.kind === 'device-code' ? { grant: manifest.grant } : {}),
    ...(manifest.kind === 'device-code' && manifest.deviceUrl ? { deviceUrl: manifest.deviceUrl } : {}),
    ...(manifest.kind === 'pkce' && manifest.authorizationUrl ? { authorizationUrl: manifest.authorizationUrl } : {}),
  }
}
