import { defineSection } from '../define-section.ts'

export const authentication = defineSection('Authentication', {
  'auth.api.optional': { since: 1, hash: '7495d7de9d13', text: 'Without API_SERVER_KEY the HTTP API asks for nothing.' },
  'auth.api.bearer': {
    since: 1,
    hash: '7495d7de9d13',
    text: 'With it, a request needs the key as bearer token in the Authorization header.',
  },
  'auth.dashboard.token.minted': {
    since: 5,
    hash: 'fd02e21dc2cd',
    text: 'By default the dashboard makes a token when it boots and puts it into its own page.',
  },
  'auth.dashboard.token.pinned': { since: 5, hash: 'fd02e21dc2cd', text: 'AGENT_DASHBOARD_SESSION_TOKEN fixes that token.' },
  'auth.dashboard.token.public-status': { since: 5, hash: 'fd02e21dc2cd', text: '/api/status needs no token.' },
  'auth.dashboard.gate': { since: 5, hash: 'b8ec73782913', text: 'Listening beyond the loopback address turns a login on.' },
  'auth.dashboard.insecure': {
    since: 5,
    hash: 'b8ec73782913',
    text: '--insecure leaves such a listener at the token, which we advise against.',
  },
  'auth.dashboard.basic.rate-limit': { since: 5, hash: '3ee2ffbf5ef1', text: 'Login by name and password is limited in rate.' },
  'auth.dashboard.basic.generic': { since: 5, hash: '3ee2ffbf5ef1', text: 'A wrong login gets a 401 that does not say what was wrong.' },
  'auth.dashboard.basic.trusted': {
    since: 5,
    hash: '3ee2ffbf5ef1',
    text: 'The documentation says that this login is meant for trusted networks.',
  },
  'auth.dashboard.oauth': {
    since: 5,
    hash: '90f4546daf89',
    text: 'Login by OAuth through a hosted portal can face the public; its client id is set in the environment or obtained by dashboard register.',
  },
  'auth.dashboard.oidc': { since: 5, hash: '56a3c0032518', text: "Login by an OIDC provider of one's own is possible." },
  'auth.desktop.remote': {
    since: 6,
    hash: '0615dbbf7465',
    text: 'To a remote backend the desktop app connects by URL, with a login (password or OAuth) or with a pinned token.',
  },
  'auth.dashboard.cookie-secure': { since: 5, hash: 'e27787ac9089', text: 'Behind TLS session cookies are marked Secure.' },
  'auth.ws.reject': {
    since: 5,
    hash: 'cc0f62839cb7',
    text: 'On loopback a WebSocket with a foreign Host, with an Origin of another scheme than http(s) or of another host is closed with 4403.',
  },
  'auth.ws.accept-opaque': { since: 5, hash: '47ce058cf85d', text: 'On loopback the Origins null and file:// are let in.' },
  'auth.ws.reject-file': { since: 5, hash: '95b8faf20e4b', text: 'Beyond loopback a file:// Origin is refused.' },
  'auth.rest.cors-null': { since: 5, hash: 'a8ae82dc5323', text: 'REST lets in the Origin null as well.' },
  'auth.provider.methods': {
    since: 4,
    hash: '506dde6656b8',
    text: "One logs in to a provider by device code, by PKCE with a code pasted back, by another CLI's login or by a key.",
  },
  'auth.messaging.allowlist': { since: 2, hash: '8eb58eb2063b', text: 'Each platform has its variable for the people who may write.' },
  'auth.messaging.pairing': { since: 2, hash: '8eb58eb2063b', text: 'Others can be let in by pairing in a direct message.' },
  'auth.messaging.sms': { since: 2, hash: '8eb58eb2063b', text: 'The SMS adapter sends with Basic auth and receives form-encoded calls.' },
  'auth.messaging.home-automation': { since: 2, hash: '8eb58eb2063b', text: 'The home-automation adapter logs in with token and URL.' },
})
