import type { Log } from '@agent/plugin-sdk'
import { detailOf, isAgentError } from '@agent/plugin-sdk/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type GateLogins, gateJourneyMs } from '../../auth/gate-logins.ts'
import { readCookie } from '../../server/create-server.ts'
import { keptCookie, type LoginPlace, pageOf, queryOf, readTo } from './login-place.ts'

export interface GateDoorsOptions extends LoginPlace {
  readonly gates: GateLogins
  readonly log: Log
}

const keptName = 'agent_gate'
const page = '../../../../'

/** Gates of plugins whose way is another page. Each has its own doors and its own cookie, so that what one sends back reaches no other. */
export function addGateDoors(server: FastifyInstance, { gates, log, ...place }: GateDoorsOptions): void {
  const keep = (request: FastifyRequest, path: string, value: string, seconds: number): string =>
    keptCookie(place, request, { name: keptName, path, value, seconds })
  server.get('/auth/gate/:plugin/:id/login', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const { name, path } = gateOf(request)
    const to = readTo(queryOf(request).get('to') ?? '')
    try {
      const { address, kept } = await gates.begin(name, { returnTo: `${place.placeOf(request)}${path}/callback`, to }, request.ip)
      return reply.header('set-cookie', keep(request, path, kept, gateJourneyMs / 1000)).redirect(address)
    } catch (error) {
      const type = isAgentError(error, 'HTTP_RATE_LIMIT') ? 'limited' : isAgentError(error, 'GATE_UNUSABLE') ? 'unusable' : 'failed'
      log.warn('a gate of the dashboard leads nowhere', { gate: name, error: detailOf(error) })
      return reply.redirect(pageOf(page, to, type))
    }
  })
  server.get('/auth/gate/:plugin/:id/callback', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const { name, path } = gateOf(request)
    const outcome = await gates.complete(name, readCookie(request, keptName), queryOf(request), request.ip)
    reply.header('set-cookie', keep(request, path, '', 0))
    if (outcome.type !== 'done') return reply.redirect(pageOf(page, outcome.to, outcome.type))
    place.admit(request, reply, outcome.cookie)
    return reply.redirect(pageOf(page, outcome.to))
  })
}

function gateOf({ params }: FastifyRequest): { readonly name: string; readonly path: string } {
  const { plugin, id } = params as { readonly plugin: string; readonly id: string }
  // Only names of plugins and gates come into a header or a log.
  const [owner, gate] = [plugin, id].map((part) => (/^[a-z0-9][a-z0-9-]{0,62}$/.test(part) ? part : '-'))
  return { name: `${owner}:${gate}`, path: `/auth/gate/${owner}/${gate}` }
}
