import type { Call, HttpHandler, HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createChatRoute } from './chat.ts'
import type { Door } from './door.ts'
import { failureReply, toAgentError } from './failure.ts'
import { corsHeaders, guardContentType, guardKey, guardOrigin, preflight } from './guard.ts'
import { json } from './json.ts'
import { createPathFinder, type Found, type Path } from './paths.ts'
import { createResponseReader, createResponseRemover, createResponseRoute } from './responses.ts'

const everyReply = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }

/** Answers every request of the API, failures included. */
export function createHandler(door: Door): HttpHandler {
  const find = createPathFinder(createTable(door))
  return async (request, call) => {
    const reply = await answer(find, door, request, call).catch((error: unknown) => failureReply(toAgentError(error)))
    return { ...reply, headers: { ...everyReply, ...corsHeaders(request, door.settings), ...reply.headers } }
  }
}

function createTable(door: Door): readonly Path[] {
  const health = async (): Promise<HttpReply> => json({ status: 'ok' })
  return [
    { method: 'GET', path: '/health', open: true, route: health },
    { method: 'GET', path: '/v1/health', open: true, route: health },
    { method: 'GET', path: '/v1/models', route: async () => json({ object: 'list', data: [describeModel(door)] }) },
    { method: 'POST', path: '/v1/chat/completions', route: createChatRoute(door) },
    { method: 'POST', path: '/v1/responses', route: createResponseRoute(door) },
    { method: 'GET', path: '/v1/responses/{id}', route: createResponseReader(door) },
    { method: 'DELETE', path: '/v1/responses/{id}', route: createResponseRemover(door) },
  ]
}

type Finder = (path: string) => Found | undefined

async function answer(find: Finder, door: Door, request: HttpRequest, call: Call): Promise<HttpReply> {
  const { settings } = door
  if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) return preflight(request, settings)
  guardOrigin(request, settings)
  const name = request.url.split('?', 1)[0] ?? ''
  const found = find(name)
  const path = found?.methods.get(request.method === 'HEAD' ? 'GET' : request.method)
  if (!path?.open) guardKey(request, settings)
  if (!found) throw fail('HTTP_NOT_FOUND', { what: `path ${name.slice(0, 200)}` })
  if (!path) {
    const refused = failureReply(fail('HTTP_METHOD', { method: request.method, path: name.slice(0, 200) }))
    return { ...refused, headers: { ...refused.headers, allow: [...found.methods.keys()].join(', ') } }
  }
  if (path.method === 'POST' && !(path.bodiless && request.body.length === 0)) guardContentType(request)
  return path.route(request, call, found.id)
}

/** The agent is the one model. */
function describeModel({ settings, clock }: Door): unknown {
  return { id: settings.modelName, object: 'model', created: Math.floor(clock.now() / 1000), owned_by: 'agent' }
}
