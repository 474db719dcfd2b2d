import { fail } from '@agent/plugin-sdk/errors'
import type { Environment } from '#config/environment/environment.ts'
import { isLoopback } from '#kernel/egress/loopback.ts'
import type { AllowedPeople } from './is-allowed.ts'

export interface OidcSettings extends AllowedPeople {
  readonly issuer: URL
  readonly clientId: string
  readonly clientSecret?: string
  readonly scopes: string
}

/** The identity provider of somebody's own, as the environment describes it; undefined where it names none. */
export function readOidc(environment: Pick<Environment, 'get'>): OidcSettings | undefined {
  const text = environment.get('AGENT_DASHBOARD_OIDC_ISSUER')
  if (text === undefined) return undefined
  const clientId = readClientId(environment)
  if (clientId === undefined)
    throw fail('ENV_INVALID', {
      name: 'AGENT_DASHBOARD_OIDC_CLIENT_ID',
      problem: 'is empty, and a login by AGENT_DASHBOARD_OIDC_ISSUER needs it; agent dashboard register gets one',
    })
  const clientSecret = environment.get('AGENT_DASHBOARD_OIDC_CLIENT_SECRET')
  const users = list(environment.get('AGENT_DASHBOARD_OIDC_ALLOWED_USERS'))
  const emails = list(environment.get('AGENT_DASHBOARD_OIDC_ALLOWED_EMAILS')).map((email) => email.toLowerCase())
  const groups = list(environment.get('AGENT_DASHBOARD_OIDC_ALLOWED_GROUPS'))
  if (users.length + emails.length + groups.length === 0)
    throw fail('ENV_INVALID', { name: 'AGENT_DASHBOARD_OIDC_ALLOWED_USERS', problem: nobody })
  return {
    ...{ issuer: readIssuer(text), clientId, ...(clientSecret ? { clientSecret } : {}), users, emails, groups },
    scopes: environment.get('AGENT_DASHBOARD_OIDC_SCOPES') ?? 'openid profile email',
  }
}

/** Under which name the provider knows the dashboard: the one of somebody's own provider holds before the one of a hosted portal. */
export function readClientId(environment: Pick<Environment, 'get'>): string | undefined {
  return environment.get('AGENT_DASHBOARD_OIDC_CLIENT_ID') ?? environment.get('AGENT_DASHBOARD_OAUTH_CLIENT_ID')
}

const nobody =
  'names nobody, so nobody could log in; name subjects there, or set AGENT_DASHBOARD_OIDC_ALLOWED_EMAILS or AGENT_DASHBOARD_OIDC_ALLOWED_GROUPS, or let in everybody whom the provider knows by *'

function readIssuer(text: string): URL {
  const url = parseSafe(text)
  if (url) return url
  throw fail('ENV_INVALID', { name: 'AGENT_DASHBOARD_OIDC_ISSUER', problem: 'must be an address that begins with https://' })
}

/** What a provider answers decides who gets in, so only a server on this machine is asked without encryption. Undefined where a text is no such address. */
export function parseSafe(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname)) ? url : undefined
}

const list = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
