import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import type { Endpoint } from '../request/endpoint.ts'
import { asRecord } from '../request/refusal.ts'
import { readJson } from '../request/reply.ts'
import { send } from '../request/send.ts'

export interface WindowSource {
  readonly endpoint: Endpoint
  readonly fetch: typeof fetch | undefined
  readonly clock: Clock
}

/** A server on the same machine or network answers at once, or has no answer. */
const askMs = 2_000
/** A server describes its settings and the models that it has. */
const mostBytes = 4 * 1024 * 1024
/** In less fits no prompt, and no model takes more. */
const fewest = 512
const most = 99_999_999

/**
 * How many tokens a model takes as it runs on its server, which may be far fewer than it could; undefined where the server does not say.
 * Rejects when `signal` fires.
 */
export async function askWindow({ endpoint, fetch, clock }: WindowSource, model: string, signal: AbortSignal): Promise<number | undefined> {
  const { window: way } = endpoint.quirks
  if (!way) return undefined
  const root = { ...endpoint, baseUrl: endpoint.baseUrl.replace(/\/v\d+$/, '') }
  const read = async (own: AbortSignal): Promise<unknown> => {
    const { reply, failed } = await send(root, fetch, { method: 'GET', path: way.path, signal: own }, clock.now)
    return failed ? undefined : await readJson(reply, mostBytes)
  }
  const said = await withTimeLimit({ clock, signal, ms: askMs, what: 'Asking for the window' }, read).catch(() => undefined)
  signal.throwIfAborted()
  const found = way.list === undefined ? said : listOf(said, way.list).find((entry) => isNamed(asRecord(entry)?.[way.id], model))
  const tokens = way.field.split('.').reduce<unknown>((value, name) => asRecord(value)?.[name], found)
  return typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= fewest && tokens <= most ? tokens : undefined
}

function listOf(said: unknown, name: string): readonly unknown[] {
  const list = asRecord(said)?.[name]
  return Array.isArray(list) ? list : []
}

/** Ollama writes the version out that people leave away. */
const isNamed = (id: unknown, model: string): boolean => id === model || id === `${model}:latest`
