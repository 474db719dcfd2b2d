import { fail } from '@agent/plugin-sdk/errors'
import { forgetLogin, keepLogin } from '#config/auth/auth-store.ts'
import { readVersion } from '#config/version.ts'
import { systemClock } from '#kernel/clock.ts'
import { timesOf } from '#models/credentials/renew.ts'
import type { LoginTalk } from '#models/credentials/run-login.ts'
import { loginOfServer } from '#models/credentials/service-logins.ts'
import type { HomeContext } from '../../home-context.ts'
import { findServer } from '../servers.ts'
import { createAskJson } from './ask-json.ts'
import { chooseClient, redirectPath } from './choose-client.ts'
import { findService, requireOneOrigin } from './find-service.ts'
import { createLoginGuard } from './guard-login.ts'

interface Wish {
  readonly talk: Pick<LoginTalk, 'showAddress' | 'paste'>
  /** In place of what the server asks for. */
  readonly scopes?: readonly string[] | undefined
}

/** Logs in to an MCP server by a page of who gives logins for it, and keeps the login beside those with providers. */
export async function logInToServer(context: HomeContext, name: string, { talk, scopes }: Wish): Promise<readonly string[]> {
  const { signal, installRoot } = context
  const { home, loaded, server } = await findServer(context, name)
  const { url, headers = {}, oauth: own = {} } = server
  if (url === undefined) throw fail('LOGIN_FAILED', { provider: name, detail: 'it is a program of this machine, which has no login here' })
  const guard = createLoginGuard({ name, url, loaded })
  const ask = createAskJson({ server: name, clock: systemClock, signal, guard })
  const service = await findService(ask, { name, url, headers, version: readVersion(installRoot) })
  const { issuer, authorizationUrl, tokenUrl, resource, namesIssuer } = service
  for (const address of [authorizationUrl, tokenUrl]) await guard(address)
  requireOneOrigin(name, service)
  const { port, clientAuth, ...client } = await chooseClient(ask, name, service, own)
  const auth = clientAuth === undefined ? {} : { clientAuth }
  const { pkce } = await import('@agent/plugin-sdk/oauth')
  const tokens = await pkce(
    {
      ...{ name, issuer, authorizationUrl, tokenUrl, resource, namesIssuer, ...client, ...auth },
      scopes: scopes ?? own.scope?.split(/\s+/).filter(Boolean) ?? service.scopes,
    },
    {
      ...{ clock: systemClock, signal, loopback: { port, path: redirectPath } },
      show: (address) => talk.showAddress(address),
      paste: (needed) => talk.paste(needed),
    },
  )
  const { access, refresh } = tokens
  const at = systemClock.now()
  keepLogin(home.files.auth, loginOfServer(name), {
    ...{ kind: 'pkce', at, ...client, access, ...timesOf(tokens, at, renewMs) },
    ...(refresh === undefined ? {} : { refresh }),
    service: { url, issuer, tokenUrl, resource, ...auth },
  })
  return [`Logged in to ${name}, by ${new URL(issuer).host}.`]
}

const renewMs = 120_000

/** Forgets the login with a server; false where there was none. */
export async function logOutOfServer(context: HomeContext, name: string): Promise<boolean> {
  const { home } = await findServer(context, name)
  return forgetLogin(home.files.auth, loginOfServer(name))
}
