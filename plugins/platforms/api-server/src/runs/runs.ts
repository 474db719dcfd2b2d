import type { HttpReply, HttpRequest, TurnRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { eventStream } from '../answer/stream-turn.ts'
import type { Door, Route } from '../door/door.ts'
import { fingerprint, parseIdempotencyKey, replayedHeader } from '../door/idempotency.ts'
import { parseSession, parseSessionId } from '../door/session.ts'
import { findPrevious, parseAsked } from '../responses/responses-inbound.ts'
import { parseBody } from '../wire/body.ts'
import { nameIgnored, readFields, runLimits } from '../wire/fields.ts'
import { json } from '../wire/json.ts'
import { approvalBody, type RunBody, runBody } from '../wire/wire.ts'
import { createKeptRuns, type Named } from './kept-runs.ts'
import { type Run, startRun } from './run.ts'

/** The routes of runs: turns that are started, watched and stopped by separate requests. */
export interface RunRoutes {
  readonly create: Route
  readonly read: Route
  readonly events: Route
  readonly stop: Route
  readonly approve: Route
}

/** The run that has this name already. */
function findNamed(names: ReadonlyMap<string, Named>, key: string, print: string): string | undefined {
  const known = names.get(key)
  if (known && known.fingerprint !== print) throw fail('HTTP_IDEMPOTENCY')
  return known?.run
}

export function createRunRoutes(door: Door): RunRoutes {
  const { settings, clock } = door
  const runs = createKeptRuns(clock)

  function find(id: string): Run {
    const run = runs.byId.get(id)
    if (!run) throw fail('HTTP_NOT_FOUND', { what: `run ${id.slice(0, 100)}` })
    return run
  }

  function start(turn: TurnRequest, model: string | null | undefined): string {
    const { release: onEnd } = door.slots.take()
    const id = door.createId('run_')
    runs.byId.set(id, startRun(door, { id, turn, model: model?.slice(0, 200) || settings.modelName, onEnd }))
    return id
  }

  return {
    async create(request) {
      runs.sweep()
      const key = parseIdempotencyKey(request)
      const { body, ignored } = readFields(runBody, request.body, runLimits)
      if (key === undefined) return started(start(await parseRun(door, request, body), body.model), ignored)
      const print = fingerprint(request, JSON.stringify(body))
      const known = findNamed(runs.names, key, print)
      if (known !== undefined) return started(known, ignored, replayedHeader)
      const turn = await parseRun(door, request, body)
      // Another request of this name may have come meanwhile.
      const other = findNamed(runs.names, key, print)
      if (other !== undefined) return started(other, ignored, replayedHeader)
      const run = start(turn, body.model)
      runs.names.set(key, { fingerprint: print, run, at: clock.now() })
      return started(run, ignored)
    },
    async read(_request, _call, id) {
      runs.sweep()
      return json(find(id).describe())
    },
    async events(request, call, id) {
      runs.sweep()
      return eventStream(find(id).log.read(lastEventOf(request), call.signal))
    },
    async stop(_request, _call, id) {
      const run = find(id)
      run.stop()
      return json({ run_id: id, status: run.describe().status })
    },
    async approve(request, _call, id) {
      const run = find(id)
      const { choice, answer, id: question } = parseBody(approvalBody, request.body)
      const value = choice ?? answer
      if (!value) throw fail('HTTP_INVALID', { param: 'choice', problem: 'must be of type string' })
      await run.answer(value, question ?? undefined)
      return json({ run_id: id, choice: value, status: run.describe().status })
    },
  }
}

function started(run: string, ignored: readonly string[], headers: Readonly<Record<string, string>> = {}): HttpReply {
  const reply = json({ run_id: run, status: 'started' }, 202)
  return nameIgnored({ ...reply, headers: { ...reply.headers, ...headers } }, ignored)
}

/** Only who holds the key is asked for approval. */
async function parseRun(door: Door, request: HttpRequest, body: RunBody): Promise<TurnRequest> {
  const { settings, responses, createId } = door
  const canAnswer = body.approvals === true
  if (canAnswer && settings.key === undefined) throw fail('HTTP_APPROVALS_KEYLESS')
  const named =
    typeof body.session_id === 'string'
      ? { continued: parseSessionId(body.session_id, settings.key, 'session_id') }
      : parseSession(request, settings.key)
  const previous = findPrevious(responses, body.previous_response_id)
  const fresh = { key: createId('api-').slice(0, 20) }
  const { turn } = await parseAsked({ request, body, named, previous, store: responses, fresh })
  return { ...turn, canAnswer }
}

/** Where a reader left off: the header that browsers send, or `after`. */
function lastEventOf({ headers, url }: HttpRequest): number {
  const after = headers['last-event-id'] ?? new URLSearchParams(url.split('?', 2)[1]).get('after') ?? ''
  return /^\d{1,15}$/.test(after) ? Number(after) : 0
}
