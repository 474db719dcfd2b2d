import type { Log } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { journeyMs, type ProviderLogin } from '../auth/provider-login.ts'
import { readCookie } from '../server/create-server.ts'

export interface ProviderOptions {
  readonly provider: ProviderLogin
  readonly log: Log
  /** Where people reach the dashboard, without a slash at the end. */
  readonly placeOf: (request: FastifyRequest) => string
  /** The path of that. */
  readonly basePath: string
  readonly isEncrypted: (request: FastifyRequest) => boolean
  /** The browser gets its login, and loses the one before. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply, cookie: string) => void
}

const keptName = 'agent_login'
const callback = '/auth/callback'

/** The way over an identity provider: a browser leaves by the first door, and comes back by the second. */
export function addProvider(server: FastifyInstance, { provider, log, placeOf, basePath, isEncrypted, admit }: ProviderOptions): void {
  const keep = (request: FastifyRequest, value: string, seconds: number): string =>
    `${keptName}=${value}; Path=${basePath}/auth; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isEncrypted(request) ? '; Secure' : ''}`
  server.get('/auth/login', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const to = readTo(queryOf(request).get('to') ?? '')
    try {
      const { address, kept } = await provider.begin(`${placeOf(request)}${callback}`, to)
      return reply.header('set-cookie', keep(request, kept, journeyMs / 1000)).redirect(address)
    } catch (error) {
      log.warn('the identity provider of the dashboard could not be asked', { error: detailOf(error) })
      return reply.redirect(pageOf(to, 'failed'))
    }
  })
  server.get(callback, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const outcome = await provider.complete(readCookie(request, keptName), queryOf(request), request.ip)
    reply.header('set-cookie', keep(request, '', 0))
    if (outcome.type === 'done') {
      admit(request, reply, outcome.cookie)
      return reply.redirect(pageOf(outcome.to))
    }
    if (outcome.error !== undefined) log.warn('a login to the dashboard did not succeed', { error: detailOf(outcome.error) })
    return reply.redirect(pageOf(outcome.to, outcome.type))
  })
}

const queryOf = ({ url }: FastifyRequest): URLSearchParams => new URL(url, 'http://here').searchParams

/** Only what follows the place of the page itself: no address leads elsewhere. */
const readTo = (text: string): string => (/^(?:\?[\w.~%&=-]{0,500})?(?:#[\w.~%/-]{0,500})?$/.test(text) ? text : '')

/** Relative, so that it holds below a path of a proxy too. */
function pageOf(to: string, login?: string): string {
  const { searchParams, hash } = new URL(to, 'http://here')
  if (login !== undefined) searchParams.set('login', login)
  const query = searchParams.toString()
  return `../${query === '' ? '' : `?${query}`}${hash}`
}
