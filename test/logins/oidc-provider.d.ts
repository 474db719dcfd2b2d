/** As far as the tests use it: the package brings no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export default class Provider {
    constructor(issuer: string, settings: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    proxy: boolean
    readonly AccessToken: { find(token: string): Promise<{ readonly aud: unknown; readonly isValid: boolean } | undefined> }
  }
}
