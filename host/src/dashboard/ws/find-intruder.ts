export interface CallerOrigin {
  readonly host: string | undefined
  readonly origin: string | undefined
}

/** Where the dashboard listens. */
export interface Bound {
  /** Nobody beyond this machine can reach it. */
  readonly isLoopback: boolean
  /** Where a proxy shows it. */
  readonly publicUrl?: URL
}

/**
 * Why a WebSocket is not opened; undefined where it may be. A page of another site could open one in the browser of somebody who is logged in, and a
 * name that somebody else points to this machine could pass for ours.
 */
export function findIntruder({ host, origin }: CallerOrigin, { isLoopback, publicUrl }: Bound): string | undefined {
  const name = host === undefined ? undefined : nameOf(host)
  if (name === undefined) return 'a Host is missing'
  if (isLoopback && name !== publicUrl?.hostname && !isLoopbackName(name)) return 'the Host is not this machine'
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

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name)
}
