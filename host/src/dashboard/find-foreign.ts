import { isLoopback as isOurs } from '#kernel/egress/loopback.ts'

/** What a request says of where it comes from. */
export interface Origins {
  readonly host: string | undefined
  readonly origin: string | undefined
}

/** Where the dashboard listens, and the address that a proxy shows it at. */
export interface Seat {
  /** Nobody beyond this machine can reach it. */
  readonly isLoopback: boolean
  readonly publicUrl?: URL
  /** The path below which it is shown, without a slash at the end; empty or absent: none. */
  readonly basePath?: string
}

/** What is not ours, as a request is told of it, and in the short words for which a close frame has room. */
export interface Foreign {
  readonly what: string
  readonly why: string
}

/**
 * What of a request or a WebSocket is refused; undefined where all of it is ours. A page of another site could ask in the browser of somebody who
 * is logged in, and a name that somebody else points to this machine could pass for ours.
 */
export function findForeign({ host, origin }: Origins, seat: Seat): Foreign | undefined {
  const ofHost = judgeHost(host, seat)
  if (ofHost !== undefined) return { what: `The host ${show(host)}`, why: ofHost }
  const ofOrigin = judgeOrigin(origin, String(host), seat)
  return ofOrigin === undefined ? undefined : { what: `The origin ${show(origin)}`, why: ofOrigin }
}

function judgeHost(host: string | undefined, { isLoopback, publicUrl }: Seat): string | undefined {
  const name = host === undefined ? undefined : nameOf(host)
  if (name === undefined) return 'a Host is missing'
  return isLoopback && name !== publicUrl?.hostname && !isOurs(name) ? 'the Host is not this machine' : undefined
}

function judgeOrigin(origin: string | undefined, host: string, { isLoopback, publicUrl }: Seat): string | undefined {
  // Programs send none; only browsers have to be asked from where they come.
  if (origin === undefined) return undefined
  if (origin === 'null' || origin.startsWith('file://')) return isLoopback ? undefined : 'the Origin is no website'
  if (!URL.canParse(origin)) return 'the Origin is no address'
  const { protocol, host: place, origin: whole } = new URL(origin)
  if (protocol !== 'http:' && protocol !== 'https:') return 'the Origin is no website'
  const isSame = place === new URL(`${protocol}//${host}`).host
  return isSame || whole === publicUrl?.origin ? undefined : 'the Origin is another host'
}

function nameOf(host: string): string | undefined {
  const address = `http://${host}`
  // Only a name and a port are a Host.
  if (!URL.canParse(address) || /[/@?#\\\s]/.test(host)) return undefined
  return new URL(address).hostname
}

const show = (text = ''): string => (text === '' ? '(none)' : text.slice(0, 200))
