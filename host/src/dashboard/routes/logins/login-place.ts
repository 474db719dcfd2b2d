import type { FastifyReply, FastifyRequest } from 'fastify'

/** What ways over another page have in common: where the browser comes back to, and what it gets. */
export interface LoginPlace {
  /** Where people reach the dashboard, without a slash at the end. */
  readonly placeOf: (request: FastifyRequest) => string
  /** The path of that. */
  readonly basePath: string
  readonly isEncrypted: (request: FastifyRequest) => boolean
  /** The browser gets its login, and loses the one before. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply, cookie: string) => void
}

/** What the browser keeps while the person is away; `path` is the only one at which it brings that. */
export interface KeptCookie {
  readonly name: string
  readonly path: string
  readonly value: string
  readonly seconds: number
}

export function keptCookie({ basePath, isEncrypted }: LoginPlace, request: FastifyRequest, kept: KeptCookie): string {
  const { name, path, value, seconds } = kept
  return `${name}=${value}; Path=${basePath}${path}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isEncrypted(request) ? '; Secure' : ''}`
}

export const queryOf = ({ url }: FastifyRequest): URLSearchParams => new URL(url, 'http://here').searchParams

/** Only what follows the place of the page itself: no address leads elsewhere. */
export const readTo = (text: string): string => (/^(?:\?[\w.~%&=-]{0,500})?(?:#[\w.~%/-]{0,500})?$/.test(text) ? text : '')

/** Relative, so that it holds below a path of a proxy too; `up` leads from the door to the page. */
export function pageOf(up: string, to: string, login?: string): string {
  const { searchParams, hash } = new URL(to, 'http://here')
  if (login !== undefined) searchParams.set('login', login)
  const query = searchParams.toString()
  return `${up}${query === '' ? '' : `?${query}`}${hash}`
}
