import { isAgentError } from '@agent/plugin-sdk/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Login, Ticket } from '../api.ts'
import { cookieName, type Gate } from '../auth/gate.ts'
import type { Tickets } from '../auth/tickets.ts'
import { failFields } from '../server/answer-error.ts'
import { isAdmitted, readCookie } from '../server/create-server.ts'

export interface AuthOptions {
  readonly gate: Gate | undefined
  readonly tickets: Tickets
  readonly publicUrl?: URL
  readonly onLogout: () => void
}

const credentials = z.strictObject({ username: z.string().check(z.maxLength(200)), password: z.string().check(z.maxLength(1000)) })

/** Logins, and tickets for WebSockets. These take no profile: they are of the dashboard as a whole. */
export function addAuth(server: FastifyInstance, { gate, tickets, publicUrl, onLogout }: AuthOptions): void {
  const secure = (request: FastifyRequest): string => (isEncrypted(request, publicUrl) ? '; Secure' : '')
  server.get('/api/auth/me', (request): Login => ({ required: gate !== undefined, admitted: isAdmitted(request, gate) }))
  server.post('/api/auth/login', async (request, reply): Promise<Login> => {
    const given = credentials.safeParse(request.body)
    if (!given.success) throw failFields({ username: 'must come with a password' })
    if (!gate) return { required: false, admitted: true }
    try {
      const cookie = await gate.logIn(given.data.username, given.data.password, request.ip)
      // One browser has one login: what it came with is worth nothing from now on.
      gate.logOut(readCookie(request))
      onLogout()
      reply.header('set-cookie', `${cookieName}=${cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200${secure(request)}`)
    } catch (error) {
      if (isAgentError(error, 'HTTP_RATE_LIMIT')) reply.header('retry-after', '60')
      throw error
    }
    return { required: true, admitted: true }
  })
  server.post('/api/auth/logout', (request, reply): Login => {
    gate?.logOut(readCookie(request))
    onLogout()
    reply.header('set-cookie', `${cookieName}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0${secure(request)}`)
    return { required: gate !== undefined, admitted: gate === undefined }
  })
  server.post('/api/auth/ticket', (request): Ticket => {
    const cookie = readCookie(request)
    // A pinned token is a login by itself, and such a program has no cookie that could end.
    const hasLogin = gate?.isLoggedIn(cookie) === true
    return { ticket: tickets.create(() => !hasLogin || gate?.isLoggedIn(cookie) === true) }
  })
}

/** By its own word on the request, or because the address at which people reach it says so. */
function isEncrypted({ protocol }: FastifyRequest, publicUrl: URL | undefined): boolean {
  return protocol === 'https' || publicUrl?.protocol === 'https:'
}
