import type { Call, HttpHandler, HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createChatRoute, type Door, type Route } from './chat.ts'
import { failureReply, toAgentError } from './failure.ts'
import { corsHeaders, guardContentType, guardKey, guardOrigin, preflight } from './guard.ts'

interface Path {
  readonly method: 'GET' | 'POST'
  /** Answered without a key. */
  readonly open?: boolean
  readonly route: Route
}

const everyReply = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }

/** Answers every request of the API, failures included. */
export function createHandler(door: Door): HttpHandler {
  const paths = createPaths(door)
  return async (request, call) => {
    const reply = await answer(paths, door, request, call).catch((error: unknown) => failureReply(toAgentError(error)))
    return { ...reply, headers: { ...everyReply, ...corsHeaders(request, door.settings), ...reply.headers } }
  }
}

function createPaths(door: Door): ReadonlyMap<string, Path> {
  const health: Path = { method: 'GET', open: true, route: async () => json({ status: 'ok' }) }
  return new Map<string, Path>([
    ['/health', health],
    ['/v1/health', health],
    ['/v1/models', { method: 'GET', route: async () => json(listModels(door)) }],
    ['/v1/chat/completions', { method: 'POST', route: createChatRoute(door) }],
  ])
}

async function answer(paths: ReadonlyMap<string, Path>, door: Door, request: HttpRequest, call: Call): Promise<HttpReply> {
  const { settings } = door
  if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) return preflight(request, settings)
  guardOrigin(request, settings)
  const name = request.url.split('?', 1)[0] ?? ''
  const path = paths.get(name)
  if (!path?.open) guardKey(request, settings)
  if (!path) throw fail('HTTP_NOT_FOUND', { what: `path ${name.slice(0, 200)}` })
  if (path.method !== request.method && !(path.method === 'GET' && request.method === 'HEAD')) {
    const refused = failureReply(fail('HTTP_METHOD', { method: request.method, path: name }))
    return { ...refused, headers: { ...refused.headers, allow: path.method } }
  }
  if (path.method === 'POST') guardContentType(request)
  return path.route(request, call)
}

/** The agent is the one model. */
function listModels({ settings, clock }: Door): unknown {
  const created = Math.floor(clock.now() / 1000)
  return { object: 'list', data: [{ id: settings.modelName, object: 'model', created, owned_by: 'agent' }] }
}

const json = (value: unknown): HttpReply => ({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })
