import type {
  Action,
  ApiError,
  AuxiliaryList,
  Changed,
  ConfigValues,
  EnvList,
  ModelInfo,
  ModelOptions,
  ModelSet,
  PackageList,
  Pairing,
  PanelList,
  PlatformList,
  PluginList,
  PluginOffer,
  PluginWhy,
  ProfileList,
  RawConfig,
  SessionList,
  SessionMessages,
  Setup,
  Status,
  Tried,
  UpdateState,
  UsageReport,
} from '../../../src/dashboard/api.ts'
import type { Login, Ticket } from '../../../src/dashboard/api-auth.ts'
import type { UnknownAnswers } from '../../../src/dashboard/api-gateway.ts'
import type { LoginList, LoginStep } from '../../../src/dashboard/api-logins.ts'
import type { PageToken } from './page-token.ts'

/** What each address answers; a name in braces is filled in by `params`. */
export interface Answers {
  readonly 'GET status': Status
  readonly 'GET setup': Setup
  readonly 'GET env': EnvList
  readonly 'PUT env': Changed
  readonly 'DELETE env': Changed
  readonly 'POST env/reveal': { readonly value: string }
  readonly 'GET messaging/platforms': PlatformList
  readonly 'PUT messaging/platforms/{id}': Changed
  readonly 'POST messaging/platforms/{id}/test': Tried
  readonly 'POST messaging/platforms/{id}/pause': Changed
  readonly 'POST messaging/platforms/{id}/resume': Changed
  readonly 'GET config': ConfigValues
  readonly 'PUT config': Changed
  readonly 'GET config/raw': RawConfig
  readonly 'PUT config/raw': RawConfig
  readonly 'GET model/info': ModelInfo
  readonly 'GET model/options': ModelOptions
  readonly 'GET model/auxiliary': AuxiliaryList
  readonly 'POST model/set': ModelSet
  readonly 'POST model/test': Tried
  readonly 'GET providers/oauth': LoginList
  readonly 'GET providers/oauth/{id}': LoginStep
  readonly 'POST providers/oauth/{id}/start': LoginStep
  readonly 'POST providers/oauth/{id}/code': LoginStep
  readonly 'POST providers/oauth/{id}/cancel': Changed
  readonly 'POST providers/oauth/{id}/logout': Changed
  readonly 'GET sessions': SessionList
  readonly 'GET sessions/search': SessionList
  readonly 'GET sessions/{id}/messages': SessionMessages
  readonly 'PATCH sessions/{id}': Changed
  readonly 'DELETE sessions/{id}': Changed
  readonly 'GET analytics/usage': UsageReport
  readonly 'GET pairing': Pairing
  readonly 'POST pairing/approve': Changed
  readonly 'POST pairing/revoke': Changed
  readonly 'GET plugins': PluginList
  readonly 'GET plugins/{id}/why': PluginWhy
  readonly 'GET plugins/search': PackageList
  readonly 'POST plugins/offer': PluginOffer
  readonly 'POST plugins/install': Action
  readonly 'POST plugins/{id}/update': Action
  readonly 'POST plugins/{id}/rollback': Action
  readonly 'POST plugins/{id}/remove': Action
  readonly 'PUT plugins/{id}/enabled': Changed
  readonly 'GET panels': PanelList
  readonly 'GET profiles': ProfileList
  readonly 'POST profiles': Changed
  readonly 'DELETE profiles': Changed
  readonly 'POST gateway/start': Action
  readonly 'POST gateway/stop': Action
  readonly 'POST gateway/restart': Action
  readonly 'GET gateway/unknown': UnknownAnswers
  readonly 'POST gateway/unknown/{id}/resend': Changed
  readonly 'POST gateway/unknown/{id}/settle': Changed
  readonly 'GET agent/update': UpdateState
  readonly 'POST agent/update': Action
  readonly 'POST agent/update/check': Action
  readonly 'POST dashboard/restart': { readonly ok: boolean }
  readonly 'GET actions/{name}/status': Action
  readonly 'GET auth/me': Login
  readonly 'POST auth/login': Login
  readonly 'POST auth/logout': Login
  readonly 'POST auth/ticket': Ticket
}

export type Route = keyof Answers
export type GetRoute = Extract<Route, `GET ${string}`>

export interface Ask {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: object
  readonly signal?: AbortSignal
}

export interface Api {
  ask<R extends Route>(route: R, ask?: Ask): Promise<Answers[R]>
  readonly profile: string | undefined
}

/** An answer of 400 and above, or none at all; the message says what to do. */
export class ApiFailure extends Error {
  readonly status: number
  readonly code: string
  readonly fields: Readonly<Record<string, string>>
  /** The body, for the routes whose refusal has more to say. */
  readonly body: unknown
  constructor(status: number, error: ApiError['error'], body?: unknown) {
    super(error.message)
    this.status = status
    this.code = error.code
    this.fields = error.fields ?? {}
    this.body = body
  }
}

export interface ApiOptions {
  readonly base: string
  readonly token: PageToken
  readonly profile: string | undefined
  readonly fetch: typeof fetch
  /** Called where the login of this browser has ended. */
  readonly onLocked?: () => void
}

/** The address of a route: relative to the page, so that the dashboard may stand below a path. */
export function addressOf(route: Route, { params = {}, query = {} }: Ask, profile: string | undefined): string {
  const path = route.slice(route.indexOf(' ') + 1).replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, profile })) if (value !== undefined) search.set(name, String(value))
  const text = search.toString()
  return `api/${path}${text === '' ? '' : `?${text}`}`
}

export function createApi({ base, token, profile, fetch, onLocked }: ApiOptions): Api {
  const send = async (route: Route, ask: Ask): Promise<unknown> => {
    const { body, signal } = ask
    const response = await fetch(new URL(addressOf(route, ask, profile), base), {
      method: route.slice(0, route.indexOf(' ')),
      headers: { 'X-Agent-Session-Token': token.value(), ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw new ApiFailure(0, {
        code: 'UNREACHABLE',
        message: 'The dashboard does not answer. Look whether "agent dashboard" still runs, then try again.',
      })
    })
    return readAnswer(response)
  }
  return {
    profile,
    async ask<R extends Route>(route: R, ask: Ask = {}) {
      // The server is ours and its routes are checked against the same types.
      return (await send(route, ask).catch(async (error: unknown) => {
        if (!(error instanceof ApiFailure)) throw error
        if (error.code === 'HTTP_LOGIN_NEEDED') onLocked?.()
        // A refused question has changed nothing, so it can be asked again.
        if (error.code === 'HTTP_TOKEN_INVALID' && (await token.renew())) return send(route, ask)
        throw error
      })) as Answers[R]
    },
  }
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text()
  const body = parse(text)
  if (response.ok) return body
  const error = isApiError(body) ? body.error : undefined
  if (response.status === 401 && (error === undefined || error.code === 'HTTP_TOKEN_INVALID'))
    throw new ApiFailure(401, {
      code: 'HTTP_TOKEN_INVALID',
      message: 'The dashboard was started again and this page is from before. Reload the page.',
    })
  const message = `The dashboard answered with status ${response.status}. Its log says why: open Logs, or run "agent logs".`
  throw new ApiFailure(response.status, error ?? { code: 'UNKNOWN', message }, body)
}

function parse(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return undefined
  }
}

function isApiError(body: unknown): body is ApiError {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false
  const { error } = body
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
}

/** The sentence that a person reads. */
export function sayFailure(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
