import { once } from 'node:events'
import { createServer } from 'node:net'
import { fail } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import type { AskJson } from './ask-json.ts'
import { type ClientAuth, isSame, type LoginService } from './find-service.ts'

/** What the settings say of a client that a person has made. */
export interface OwnClient {
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
  /** Who gives the logins: nobody else is asked for one. */
  readonly issuer?: string | undefined
  readonly redirect_port?: number | undefined
}

export interface ChosenClient {
  readonly clientId: string
  readonly clientSecret?: string
  /** Where the secret is put. */
  readonly clientAuth?: ClientAuth
  /** Of this machine, where the browser comes back to. */
  readonly port: number
}

/** A client that is described beforehand names these ports. */
const namedPorts = [27_890, 27_891, 27_892, 27_893, 27_894]

export const redirectPath = '/callback'

const redirectOf = (port: number): string => `http://127.0.0.1:${port}${redirectPath}`

/** Kept with the login. */
const kept = z.string().check(z.minLength(1), z.maxLength(2000))
const registered = z.object({ client_id: kept, client_secret: z.optional(kept), token_endpoint_auth_method: z.optional(z.string()) })

/** As whom agent asks: the client of the settings, or one that it registers for this login. */
export async function chooseClient(ask: AskJson, name: string, service: LoginService, own: OwnClient): Promise<ChosenClient> {
  requireIssuer(name, service.issuer, own)
  const { client_id: clientId, client_secret: clientSecret, redirect_port: port } = own
  const isAddress = clientId !== undefined && /^https:\/\//.test(clientId)
  if (clientId !== undefined && (!isAddress || service.readsClients)) {
    const secret = clientSecret === undefined ? {} : { clientSecret, clientAuth: pickAuth(service.clientAuths) }
    return { clientId, ...secret, port: port ?? (await findPort(namedPorts)) }
  }
  if (service.registrationUrl !== undefined) return register(ask, name, service, port ?? (await findPort([])))
  const detail = isAddress
    ? `${service.issuer} neither reads the address of a client nor lets programs register themselves; put the id of a client of yours into mcp_servers.${name}.oauth.client_id`
    : `${service.issuer} does not let programs register themselves; make a client there with the redirect address ${redirectOf(27_890)}, and put its id into mcp_servers.${name}.oauth.client_id`
  throw fail('LOGIN_FAILED', { provider: name, detail })
}

/** The server says who gives its logins, and may name anybody: a secret goes only to whom the person names. */
function requireIssuer(name: string, found: string, { client_secret: secret, issuer }: OwnClient): void {
  if (issuer === undefined ? secret === undefined : isSame(found, issuer)) return
  const key = `mcp_servers.${name}.oauth.issuer`
  const detail =
    issuer === undefined
      ? `client_secret is sent to nobody whom the settings do not name; if you made the client there, set ${key} to ${found}`
      : `the server names ${found}, and ${key} is ${issuer}`
  throw fail('LOGIN_FAILED', { provider: name, detail })
}

/** RFC 7591, once for each login: a client that was removed there is of no use here. */
async function register(ask: AskJson, name: string, service: LoginService, port: number): Promise<ChosenClient> {
  const { registrationUrl: address = '', clientAuths, isGuessed } = service
  const wanted = !clientAuths || clientAuths.includes('none') ? 'none' : pickAuth(clientAuths)
  const { status, body } = await ask(address, {
    body: {
      ...{ client_name: 'agent', redirect_uris: [redirectOf(port)], application_type: 'native' },
      ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: wanted },
    },
  })
  const parsed = status === 200 || status === 201 ? z.safeParse(registered, body) : undefined
  if (!parsed?.success) {
    const { error } = (body ?? {}) as { readonly error?: unknown }
    const said = typeof error === 'string' ? `, ${error.slice(0, 100)}` : ''
    const unsaid = isGuessed ? 'it says nowhere who gives logins for it, and ' : ''
    throw fail('LOGIN_FAILED', {
      provider: name,
      detail: `${unsaid}${new URL(address).host} did not register agent (HTTP ${status}${said})`,
    })
  }
  const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: given } = parsed.data
  if (clientSecret === undefined) return { clientId, port }
  return { clientId, clientSecret, clientAuth: pickAuth(given === undefined ? clientAuths : [given]), port }
}

/** In a header, which every service should take (RFC 6749, 2.3.1), unless it names the form alone. */
function pickAuth(taken: readonly string[] = []): ClientAuth {
  return taken.includes('client_secret_post') && !taken.includes('client_secret_basic') ? 'client_secret_post' : 'client_secret_basic'
}

/** The first of these ports that is free; where none is, any that is. */
async function findPort(ports: readonly number[]): Promise<number> {
  for (const port of [...ports, 0]) {
    const server = createServer()
    try {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      return typeof address === 'object' && address !== null ? address.port : port
    } catch {
      // Taken: the next one is tried.
    } finally {
      server.close()
    }
  }
  return 0
}
