import { isIP } from 'node:net'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { createPrivateNetworks } from '#kernel/private-networks.ts'

export interface GuardOptions {
  readonly settings: () => { readonly website_blocklist: readonly string[]; readonly allow_private_urls: boolean }
  /** The addresses of a name. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>
}

/** Rejects with WEB_ADDRESS_REFUSED where an address is not to be asked. */
export type GuardAddress = (address: string) => Promise<void>

/** The network addresses that an address leads to; rejects like the guard. */
export type ResolveAddress = (wish: { readonly url: string; readonly allowPrivate: boolean }) => Promise<readonly string[]>

export interface AddressRules {
  readonly guard: GuardAddress
  readonly resolve: ResolveAddress
}

/** Keeps the model away from this machine, its network, and the websites that the person has blocked. */
export function createAddressRules({ settings, lookup }: GuardOptions): AddressRules {
  const isPrivate = createPrivateNetworks()
  const find = async (host: string): Promise<readonly string[]> => (isIP(host) ? [host] : await lookup(host).catch(() => []))
  const requireAddress = (address: string, addresses: readonly string[], all: boolean): void => {
    if (addresses.length === 0) throw refusal(address, 'its name leads to no address')
    if (all || !addresses.some(isPrivate)) return
    throw refusal(address, 'it leads into a private network, which security.allow_private_urls permits')
  }
  return {
    guard: async (address) => {
      const { website_blocklist: blocked, allow_private_urls: all } = settings()
      const host = requireHost(address, blocked)
      if (!all) requireAddress(address, await find(host), false)
    },
    resolve: async ({ url, allowPrivate }) => {
      const { website_blocklist: blocked, allow_private_urls: all } = settings()
      const addresses = await find(requireHost(url, blocked))
      requireAddress(url, addresses, all || allowPrivate)
      return addresses
    },
  }
}

function refusal(address: string, reason: string): AgentError {
  return fail('WEB_ADDRESS_REFUSED', { url: address.slice(0, 500), reason })
}

function requireHost(address: string, blocked: readonly string[]): string {
  const { host, problem } = readHost(address)
  if (problem !== undefined) throw refusal(address, problem)
  if (blocked.some((website) => isBelow(host, website))) throw refusal(address, 'security.website_blocklist names it')
  return host
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
