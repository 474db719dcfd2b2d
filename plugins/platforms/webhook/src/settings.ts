import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Config, RouteConfig } from './config.ts'
import { createFilter, type Filter } from './filter.ts'

/** The word that stands for no secret at all. */
const noAuth = 'INSECURE_NO_AUTH'

export interface Route {
  readonly name: string
  readonly events: readonly string[]
  /** Undefined: everybody who reaches the listener is believed. */
  readonly secret: string | undefined
  readonly prompt: string | undefined
  readonly filter: Filter
  /** Undefined: the log. */
  readonly deliver: string | undefined
  readonly verbatim: boolean
  readonly coalesce: { readonly key: string; readonly windowMs: number; readonly maxWaitMs: number } | undefined
}

export async function loadRoutes(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<ReadonlyMap<string, Route>> {
  const common = (await secrets.find('WEBHOOK_SECRET')) ?? config.secret
  const entries = Object.entries(config.routes)
  // A route without a secret would believe everybody; this error names the variable to set.
  if (entries.some(([, { secret }]) => (secret ?? common) === undefined)) await secrets.get('WEBHOOK_SECRET')
  return new Map(entries.map(([name, route]) => [name, readRoute(name, route, common)]))
}

function readRoute(name: string, route: RouteConfig, common: string | undefined): Route {
  const key = `platforms.webhook.extra.routes.${name}`
  if (!/^[A-Za-z0-9][\w-]{0,62}$/.test(name)) {
    throw fail('ENV_INVALID', { name: key, problem: 'is no name of a route: use letters, digits, - and _' })
  }
  const { events, prompt, filters, deliver, deliver_only, coalesce } = route
  if (deliver_only && deliver === 'log') {
    throw fail('ENV_INVALID', { name: `${key}.deliver_only`, problem: 'needs a target in deliver; the log is none' })
  }
  const secret = route.secret ?? common
  return {
    name,
    events,
    secret: secret === noAuth ? undefined : secret,
    prompt,
    filter: createFilter(`${key}.filters`, filters ?? []),
    deliver: deliver === 'log' ? undefined : deliver,
    verbatim: deliver_only,
    coalesce: coalesce && { key: coalesce.key, windowMs: coalesce.window_seconds * 1000, maxWaitMs: coalesce.max_wait_seconds * 1000 },
  }
}
