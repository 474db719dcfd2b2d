import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { OidcServer } from './oidc-server.ts'

interface GuardedOptions {
  readonly accounts: Pick<OidcServer, 'issuer' | 'audienceOf'>
  /** What the server says of itself instead of the truth. */
  readonly about?: Readonly<Record<string, unknown>>
  /** Answers an address of its host before all else. */
  readonly answer?: (url: string, response: ServerResponse) => boolean
}

export interface GuardedServer extends AsyncDisposable {
  readonly url: string
  /** Tokens that it was shown, in order; an empty one where there was none. */
  readonly shown: readonly string[]
  /** Wants this scope too from now on. */
  want(scope: string): void
}

/** A real MCP server over HTTP that takes nobody without a token that is for it. */
export async function startGuardedServer({ accounts, about, answer }: GuardedOptions): Promise<GuardedServer> {
  const shown: string[] = []
  let wanted: string | undefined
  let url = ''
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? ''
    const say = (status: number, headers: Record<string, string> = {}, body: unknown = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    if (answer?.(path, response)) return
    const place = '/.well-known/oauth-protected-resource/mcp'
    if (path === place) {
      say(200, {}, { resource: url, authorization_servers: [accounts.issuer], scopes_supported: ['tools'], ...about })
      return
    }
    if (path !== '/mcp') return say(404)
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    shown.push(token)
    const challenge = `Bearer resource_metadata="${new URL(place, url).href}", scope="tools"`
    if (token === '' || (await accounts.audienceOf(token)) !== url) return say(401, { 'www-authenticate': challenge })
    if (wanted !== undefined) return say(403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${wanted}"` })
    await answerCall(request, response)
  }
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return {
    ...{ url, shown },
    want: (scope) => {
      wanted = scope
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answerCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const mcp = new McpServer({ name: 'guarded', version: '1.0.0' })
  mcp.registerTool('tickets', { description: 'Lists tickets.' }, async () => ({ content: [{ type: 'text', text: 'two tickets' }] }))
  const transport = new StreamableHTTPServerTransport({})
  response.on('close', () => void mcp.close())
  await mcp.connect(transport as Parameters<typeof mcp.connect>[0])
  await transport.handleRequest(request, response)
}
