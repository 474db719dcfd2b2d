import type { Log } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { journeyMs, type ProviderLogin } from '../../auth/provider-login.ts'
import { readCookie } from '../../server/create-server.ts'
import { keptCookie, type LoginPlace, pageOf, queryOf, readTo } from './login-place.ts'

export interface ProviderOptions extends LoginPlace {
  readonly provider: ProviderLogin
  readonly log: Log
}

const keptName = 'agent_login'
const callback = '/auth/callback'

/** The way over an identity provider: a browser leaves by the first door, and comes back by the second. */
export function addProvider(server: FastifyInstance, { provider, log, ...place }: ProviderOptions): void {
  const keep = (request: FastifyRequest, value: string, seconds: number): string =>
    keptCookie(place, request, { name: keptName, path: '/auth', value, seconds })
  server.get('/auth/login', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const to = readTo(queryOf(request).get('to') ?? '')
    try {
      const { address, kept } = await provider.begin(`${place.placeOf(request)}${callback}`, to)
      return reply.header('set-cookie', keep(request, kept, journeyMs / 1000)).redirect(address)
    } catch (error) {
      log.warn('the identity provider of the dashboard could not be asked', { error: detailOf(error) })
      return reply.redirect(pageOf('../', to, 'failed'))
    }
  })
  server.get(callback, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const outcome = await provider.complete(readCookie(request, keptName), queryOf(request), request.ip)
    reply.header('set-cookie', keep(request, '', 0))
    if (outcome.type === 'done') {
      place.admit(request, reply, outcome.cookie)
      return reply.redirect(pageOf('../', outcome.to))
    }
    if (outcome.error !== undefined) log.warn('a login to the dashboard did not succeed', { error: detailOf(outcome.error) })
    return reply.redirect(pageOf('../', outcome.to, outcome.type))
  })
}
