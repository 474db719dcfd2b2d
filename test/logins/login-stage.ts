import { openTestDashboard, type TestDashboard } from '../support/servers/open-test-dashboard.ts'
import { browse, type OidcServer } from './oidc-server.ts'

const page = '<meta name="agent-token" content="">'

export interface Stage extends AsyncDisposable {
  readonly dashboard: TestDashboard
  readonly url: string
}

/** A dashboard beyond this machine whose people log in at that provider; `more` are variables, and `env` the lines of its `.env`. */
export async function openStage(
  { issuer, clientId }: Pick<OidcServer, 'issuer' | 'clientId'>,
  more: Readonly<Record<string, string | undefined>> = {},
  env = '',
): Promise<Stage> {
  const environment = {
    ...{ AGENT_DASHBOARD_SESSION_TOKEN: undefined, AGENT_DASHBOARD_OIDC_ISSUER: issuer, AGENT_DASHBOARD_OIDC_CLIENT_ID: clientId },
    ...{ AGENT_DASHBOARD_OIDC_SCOPES: 'openid email groups', AGENT_DASHBOARD_OIDC_ALLOWED_EMAILS: 'eve@example.org, mallory@example.org' },
    ...{ AGENT_DASHBOARD_OIDC_ALLOWED_GROUPS: 'keepers', ...more },
  }
  const dashboard = await openTestDashboard({ host: '0.0.0.0', environment, page, prepare: (home) => void home.write('.env', env) })
  const url = `http://127.0.0.1:${new URL(dashboard.url).port}`
  return { dashboard, url, [Symbol.asyncDispose]: () => dashboard[Symbol.asyncDispose]() }
}

/** Where somebody ends who logs in, and whether the dashboard then lets the browser in. */
export async function logIn(
  { url, dashboard }: Stage,
  name: string,
  to = '',
): Promise<{ readonly end: string; readonly admitted: unknown }> {
  const cookies = new Map<string, string>()
  const { address } = await browse(`${url}/auth/login?to=${encodeURIComponent(to)}`, { name, cookies })
  const cookie = `agent_session=${cookies.get('agent_session') ?? ''}`
  const { body } = await dashboard.askBare('GET', '/api/auth/me', { headers: { cookie } })
  return { end: address.replace(url, ''), admitted: body.admitted }
}
