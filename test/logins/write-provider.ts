import type { TestHome } from '../support/test-home.ts'
import type { OidcServer } from './oidc-server.ts'

type Login = Readonly<Record<string, unknown>>

/** A provider `mine` of a home, that is logged in to as `login` says. */
export function writeProvider(home: Pick<TestHome, 'write'>, login: Login, more: object = {}, settings = ''): void {
  const manifest = {
    ...{ manifestVersion: 1, id: 'provider-mine', name: 'Mine', description: 'A server of somebody.', version: '1.0.0', license: 'MIT' },
    api: { provider: 1 },
    contributes: {
      providers: [{ id: 'mine', label: 'Mine', protocol: 'openai-chat', auth: 'login', baseUrl: 'http://127.0.0.1:1', login, ...more }],
    },
    env: [{ name: 'MINE_CLIENT_ID', secret: false, required: false, prompt: 'Client id' }],
    permissions: { net: { value: 'any', reason: 'It asks the server.' } },
  }
  home.write('plugins/local/provider-mine/agent.plugin.json', JSON.stringify(manifest))
  home.write('config.yaml', `plugins: { entries: { provider-mine: { enabled: true } } }\n${settings}`)
}

/** How one logs in at the test's server: by a code that is typed in elsewhere. */
export const deviceCodeAt = ({ issuer, clientId }: OidcServer): Login => ({
  ...{ kind: 'device-code', issuer, clientId, scopes: ['openid', 'offline_access'] },
})

/** The same by a page, whose address is pasted back. */
export const pkceAt = (server: OidcServer): Login => ({
  ...deviceCodeAt(server),
  ...{ kind: 'pkce', redirectUrl: 'http://127.0.0.1:1/callback' },
})
