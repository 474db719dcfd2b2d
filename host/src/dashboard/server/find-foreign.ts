import { isLoopback } from '../loopback.ts'

/** What a request says of where it comes from. */
export interface Origins {
  readonly host: string | undefined
  readonly origin: string | undefined
}

/** Where the dashboard listens, and the address that a proxy shows it at. */
export interface Seat {
  readonly bind: string
  readonly publicUrl?: URL
}

/**
 * The host or the origin that is refused; undefined where both are ours. On loopback a name that was rebound is told by its Host; a page
 * of a file or of a program that has no address brings the token instead.
 */
export function findForeign({ host = '', origin }: Origins, { bind, publicUrl }: Seat): string | undefined {
  const isLocal = isLoopback(bind)
  const name = host.replace(/:\d+$/, '').toLowerCase()
  if (isLocal && !isLoopback(name) && name !== publicUrl?.hostname) return `The host ${show(host)}`
  if (origin === undefined || origin === 'null') return undefined
  if (isLocal && /^file:\/\//i.test(origin)) return undefined
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  const isOurs = url !== undefined && /^https?:$/.test(url.protocol) && url.host === host.toLowerCase().replace(/:(?:80|443)$/, '')
  return isOurs || (url !== undefined && url.origin === publicUrl?.origin) ? undefined : `The origin ${show(origin)}`
}

const show = (text: string): string => (text === '' ? '(none)' : text.slice(0, 200))
