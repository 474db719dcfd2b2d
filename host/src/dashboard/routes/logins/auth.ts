import type { Log } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Login, Ticket } from '../../api-auth.ts'
import { cookieName, type LoginGuard } from '../../auth/gate.ts'
import type { Tickets } from '../../auth/tickets.ts'
import type { PageToken } from '../../auth/token.ts'
import type { Seat } from '../../find-foreign.ts'
import { failFields } from '../../server/answer-error.ts'
import { isAdmitted, isProgram, readCookie } from '../../server/create-server.ts'
import { addGateDoors } from './gates.ts'
import type { LoginPlace } from './login-place.ts'
import { addProvider } from './provider.ts'

export interface AuthOptions extends Pick<Seat, 'publicUrl' | 'basePath'> {
  readonly gate: LoginGuard | undefined
  readonly token: PageToken
  readonly tickets: Tickets
  readonly log: Log
  /** Some logins may have ended. */
  readonly onEnded: () => void
}

const text = (most: number) => z.string().check(z.maxLength(most))
const credentials = z.strictObject({ username: text(200), password: text(1000), gate: z.optional(text(200)) })

/** Logins, and tickets for WebSockets. These take no profile: they are of the dashboard as a whole. */
export function addAuth(server: FastifyInstance, options: AuthOptions): void {
  const { gate, token, tickets, log } = options
  server.get('/api/auth/me', (request): Login => {
    return { required: gate !== undefined, admitted: isAdmitted(request, gate), ...(gate ? { ways: waysOf(gate) } : {}) }
  })
  gate?.gates?.onChange(options.onEnded)
  if (gate) addLogins(server, gate, options)
  else server.post('/api/auth/login', (): Login => ({ required: false, admitted: true }))
  server.post('/api/auth/logout', async (request, reply): Promise<Login> => {
    const through = gate?.gateOf(readCookie(request))
    leave(request, options)
    reply.header('set-cookie', cookieOf(request, options, '', 0))
    const back = `${placeOf(request, options)}/`
    const asked = through === undefined ? gate?.provider?.findEnd(back) : gate?.gates?.findEnd(through, back)
    const next = await asked?.catch((error: unknown) => {
      log.warn('who let somebody into the dashboard could not be asked for the end of the login', { error: detailOf(error) })
      return undefined
    })
    return { required: gate !== undefined, admitted: gate === undefined, ...(next === undefined ? {} : { next }) }
  })
  server.post('/api/auth/ticket', (request): Ticket => {
    const cookie = readCookie(request)
    if (gate === undefined) return { ticket: tickets.create(() => true) }
    if (gate.isLoggedIn(cookie)) return { ticket: tickets.create(() => gate.isLoggedIn(cookie)) }
    // A program has no cookie that could end; a login that has just ended is none.
    if (isProgram(request, token)) return { ticket: tickets.create(() => true) }
    throw fail('HTTP_LOGIN_NEEDED')
  })
}

function waysOf({ logIn, provider, gates }: LoginGuard): NonNullable<Login['ways']> {
  const ofPlugins = gates?.list() ?? []
  return {
    password: logIn !== undefined,
    ...(provider ? { provider: provider.name } : {}),
    ...(ofPlugins.length > 0 ? { gates: ofPlugins } : {}),
  }
}

const livesSeconds = 43_200

function addLogins(server: FastifyInstance, gate: LoginGuard, options: AuthOptions): void {
  const { publicUrl, basePath = '', log } = options
  // One browser has one login: what it came with is worth nothing from now on.
  const admit = (request: FastifyRequest, reply: FastifyReply, cookie: string): void => {
    leave(request, options)
    reply.header('set-cookie', cookieOf(request, options, cookie, livesSeconds))
  }
  server.post('/api/auth/login', async (request, reply): Promise<Login> => {
    const given = credentials.safeParse(request.body)
    if (!given.success) throw failFields({ username: 'must come with a password' })
    try {
      admit(request, reply, await logIn(gate, given.data, request.ip))
    } catch (error) {
      if (isAgentError(error, 'HTTP_RATE_LIMIT')) reply.header('retry-after', '60')
      throw error
    }
    return { required: true, admitted: true }
  })
  const place: LoginPlace = {
    ...{ admit, basePath },
    placeOf: (request) => placeOf(request, options),
    isEncrypted: (request) => isEncrypted(request, publicUrl),
  }
  if (gate.provider) addProvider(server, { ...place, provider: gate.provider, log })
  if (gate.gates) addGateDoors(server, { ...place, gates: gate.gates, log })
}

/** By the gate of a plugin that is named, or by the name and the password of the environment. */
async function logIn(
  guard: LoginGuard,
  { username: name, password, gate }: z.output<typeof credentials>,
  address: string,
): Promise<string> {
  const cookie = gate === undefined ? guard.logIn?.(name, password, address) : guard.gates?.logIn(gate, { name, password }, address)
  if (!cookie) throw fail('HTTP_LOGIN_WRONG')
  return await cookie
}

function leave(request: FastifyRequest, { gate, onEnded }: AuthOptions): void {
  gate?.logOut(readCookie(request))
  onEnded()
}

type Place = Pick<AuthOptions, 'publicUrl' | 'basePath'>

/** Only for the dashboard: a proxy may show other programs at the same host. */
function cookieOf(request: FastifyRequest, { publicUrl, basePath = '' }: Place, value: string, seconds: number): string {
  const secure = isEncrypted(request, publicUrl) ? '; Secure' : ''
  return `${cookieName}=${value}; Path=${basePath}/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`
}

/** By its own word on the request, or because the address at which people reach it says so. */
function isEncrypted({ protocol }: FastifyRequest, publicUrl: URL | undefined): boolean {
  return protocol === 'https' || publicUrl?.protocol === 'https:'
}

/** Where people reach the dashboard. */
function placeOf({ protocol, headers }: FastifyRequest, { publicUrl, basePath = '' }: Place): string {
  return `${publicUrl?.origin ?? `${protocol}://${headers.host}`}${basePath}`
}
