/** One scenario of the suite, which the protocol's authors keep for clients. */
export interface Scenario {
  readonly name: string
  /** What a person has put into the settings of the server; `given`: what the suite says of a client that it knows. */
  readonly oauth?: (given: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
  /** Why we do not pass it, on purpose. */
  readonly refused?: string
}

const otherIssuer =
  'its service describes itself at the address of one issuer and calls itself another; RFC 8414 (section 3.3) has us refuse that, or a service could pass for another'
const withoutPerson =
  'an extension of the protocol: tokens for a program for which nobody has logged in; a server of this kind takes a header from the settings'

export const scenarios: readonly Scenario[] = [
  { name: 'initialize' },
  { name: 'tools_call' },
  { name: 'elicitation-sep1034-client-defaults' },
  { name: 'sse-retry' },
  { name: 'auth/metadata-default' },
  { name: 'auth/metadata-var1' },
  { name: 'auth/metadata-var2', refused: otherIssuer },
  { name: 'auth/metadata-var3', refused: otherIssuer },
  { name: 'auth/basic-cimd', oauth: () => ({ client_id: 'https://conformance-test.local/client-metadata.json' }) },
  { name: 'auth/scope-from-www-authenticate' },
  { name: 'auth/scope-from-scopes-supported' },
  { name: 'auth/scope-omitted-when-undefined' },
  { name: 'auth/scope-step-up' },
  { name: 'auth/scope-retry-limit' },
  { name: 'auth/token-endpoint-auth-basic' },
  { name: 'auth/token-endpoint-auth-post' },
  { name: 'auth/token-endpoint-auth-none' },
  { name: 'auth/resource-mismatch' },
  { name: 'auth/pre-registration', oauth: ({ client_id = '', client_secret = '' }) => ({ client_id, client_secret }) },
  { name: 'auth/2025-03-26-oauth-metadata-backcompat' },
  { name: 'auth/2025-03-26-oauth-endpoint-fallback' },
  { name: 'auth/client-credentials-jwt', refused: withoutPerson },
  { name: 'auth/client-credentials-basic', refused: withoutPerson },
]
