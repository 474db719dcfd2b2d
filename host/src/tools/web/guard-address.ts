import { isIP } from 'node:net'
import { fail } from '@agent/plugin-sdk/errors'
import { createPrivateNetworks } from '#kernel/private-networks.ts'

export interface GuardOptions {
  readonly settings: () => { readonly website_blocklist: readonly string[]; readonly allow_private_urls: boolean }
  /** The addresses of a name. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>
}

/** Rejects with WEB_ADDRESS_REFUSED where an address is not to be asked. */
export type GuardAddress = (address: string) => Promise<void>

/** Keeps the model away from this machine, its network, and the websites that the person has blocked. */
export function createAddressGuard({ settings, lookup }: GuardOptions): GuardAddress {
  const isPrivate = createPrivateNetworks()
  return async (address) => {
    const refuse = (reason: string): never => {
      throw fail('WEB_ADDRESS_REFUSED', { url: address.slice(0, 500), reason })
    }
    const { host, problem } = readHost(address)
    if (problem !== undefined) return refuse(problem)
    const { website_blocklist: blocked, allow_private_urls: all } = settings()
    if (blocked.some((website) => isBelow(host, website))) return refuse('security.website_blocklist names it')
    if (all) return
    const addresses = isIP(host) ? [host] : await lookup(host).catch(() => [])
    if (addresses.length === 0) return refuse('its name leads to no address')
    if (addresses.some(isPrivate)) return refuse('it leads into a private network, which security.allow_private_urls permits')
  }
}

/** The host that an address leads to, or why it is refused whatever is allowed. */
function readHost(address: string): { readonly host: string; readonly problem?: string } {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return { host: '', problem: 'it is no http or https address' }
  if (url.username !== '' || url.password !== '') return { host: '', problem: 'it holds a user name or a password' }
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '')
  return host.split('.').includes('') ? { host, problem: 'its host is no name' } : { host }
}

/** `example.org` and `*.example.org` both stand for the name and all below it. */
function isBelow(host: string, website: string): boolean {
  const name = website.replace(/^\*\.|\.$/g, '').toLowerCase()
  return host === name || host.endsWith(`.${name}`)
}
