import type { Call, HttpAdmit, HttpHandler, HttpHead, HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { describeCapabilities, describeHealth } from './about.ts'
import { createChatRoute } from './chat/chat.ts'
import type { Door } from './door/door.ts'
import { corsHeaders, guardContentType, guardKey, guardOrigin, preflight } from './door/guard.ts'
import { createPathFinder, type Found, type Path } from './door/paths.ts'
import { isSessionKey } from './door/session.ts'
import { createResponseReader, createResponseRemover, createResponseRoute } from './responses/responses.ts'
import { createRunRoutes } from './runs/runs.ts'
import { failureReply, toAgentError } from './wire/failure.ts'
import { json } from './wire/json.ts'
import { packingOf, unpack } from './wire/unpack.ts'

const everyReply = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }

/** The two looks at a request: at its head, and with its body. */
export interface Doorway {
  readonly admit: HttpAdmit
  readonly handle: HttpHandler
}

/** Answers every request of the API, failures included. What a head gives away is refused before the body is read. */
export function createDoorway(door: Door): Doorway {
  const find = createPathFinder(createTable(door))
  const dress = <Reply extends Partial<HttpReply>>(head: HttpHead, reply: Reply) => ({
    ...reply,
    headers: Object.assign({}, everyReply, corsHeaders(head, door.settings), echoSessionKey(head), reply.headers),
  })
  const refuse = (error: unknown): HttpReply => failureReply(toAgentError(error))
  return {
    admit: async (head) => {
      try {
        const asked = look(find, door, head)
        return dress(head, 'status' in asked ? asked : {})
      } catch (error) {
        return dress(head, refuse(error))
      }
    },
    handle: async (request, call) => dress(request, await answer(find, door, request, call).catch(refuse)),
  }
}

function createTable(door: Door): readonly Path[] {
  const runs = createRunRoutes(door)
  const health = async (): Promise<HttpReply> => json({ status: 'ok' })
  const table: readonly Path[] = [
    { name: 'health', method: 'GET', path: '/health', open: true, route: health },
    { name: 'health_v1', method: 'GET', path: '/v1/health', open: true, route: health },
    { name: 'health_detailed', method: 'GET', path: '/health/detailed', route: async () => json(describeHealth(door)) },
    { name: 'capabilities', method: 'GET', path: '/v1/capabilities', route: async () => json(describeCapabilities(door, table)) },
    { name: 'models', method: 'GET', path: '/v1/models', route: async () => json({ object: 'list', data: [describeModel(door)] }) },
    { name: 'model', method: 'GET', path: '/v1/models/{id}', route: async (_request, _call, id) => json(findModel(door, id)) },
    { name: 'chat_completions', method: 'POST', path: '/v1/chat/completions', route: createChatRoute(door) },
    { name: 'responses', method: 'POST', path: '/v1/responses', route: createResponseRoute(door) },
    { name: 'response', method: 'GET', path: '/v1/responses/{id}', route: createResponseReader(door) },
    { name: 'response_delete', method: 'DELETE', path: '/v1/responses/{id}', route: createResponseRemover(door) },
    { name: 'runs', method: 'POST', path: '/v1/runs', route: runs.create },
    { name: 'run_status', method: 'GET', path: '/v1/runs/{id}', route: runs.read },
    { name: 'run_events', method: 'GET', path: '/v1/runs/{id}/events', route: runs.events },
    { name: 'run_stop', method: 'POST', path: '/v1/runs/{id}/stop', route: runs.stop, bodiless: true },
    { name: 'run_approval', method: 'POST', path: '/v1/runs/{id}/approval', route: runs.approve },
  ]
  return table
}

/** A refused key is not said back. */
function echoSessionKey({ headers }: HttpHead): Readonly<Record<string, string>> {
  const own = headers['x-agent-session-key']
  return own !== undefined && isSessionKey(own) ? { 'x-agent-session-key': own } : {}
}

type Finder = (path: string) => Found | undefined

async function answer(find: Finder, door: Door, request: HttpRequest, call: Call): Promise<HttpReply> {
  const asked = look(find, door, request)
  if ('status' in asked) return asked
  const { path, id } = asked
  if (path.bodiless && request.body.length > 0) guardContentType(request)
  const { memory, settings } = door
  const packing = packingOf(request)
  const body = packing ? await unpack(request.body, packing, { limit: settings.maxBodyBytes, memory }) : request.body
  try {
    return await path.route({ ...request, body }, call, id)
  } finally {
    memory.release(body)
  }
}

/** Finds what a request asks for; throws or answers where its head is enough for that. */
function look(find: Finder, door: Door, head: HttpHead): HttpReply | { readonly path: Path; readonly id: string } {
  const { settings } = door
  if (head.method === 'OPTIONS' && head.headers['access-control-request-method'] !== undefined) return preflight(head, settings)
  guardOrigin(head, settings)
  const name = head.url.split('?', 1)[0] ?? ''
  // Some clients end every path with a slash.
  const found = find(name) ?? find(name.replace(/\/$/, ''))
  const path = found?.methods.get(head.method === 'HEAD' ? 'GET' : head.method)
  if (!path?.open) guardKey(head, settings)
  if (!found) throw fail('HTTP_NOT_FOUND', { what: `path ${name.slice(0, 200)}` })
  if (!path) {
    const refused = failureReply(fail('HTTP_METHOD', { method: head.method, path: name.slice(0, 200) }))
    return { ...refused, headers: { ...refused.headers, allow: [...found.methods.keys()].join(', ') } }
  }
  if (path.method === 'POST' && !path.bodiless) guardContentType(head)
  packingOf(head)
  return { path, id: found.id }
}

/** The agent is the one model. */
function describeModel({ settings, about }: Door): unknown {
  return { id: settings.modelName, object: 'model', created: Math.floor(about.startedAt / 1000), owned_by: 'agent' }
}

function findModel(door: Door, id: string): unknown {
  if (id !== door.settings.modelName) throw fail('HTTP_NOT_FOUND', { what: `model ${id.slice(0, 100)}` })
  return describeModel(door)
}
