import { BlockList, isIP } from 'node:net'
import { fail } from '@agent/plugin-sdk/errors'

export interface GuardOptions {
  readonly settings: () => { readonly website_blocklist: readonly string[]; readonly allow_private_urls: boolean }
  /** The addresses of a name. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>
}

/** Rejects with WEB_ADDRESS_REFUSED where an address is not to be asked. */
export type GuardAddress = (address: string) => Promise<void>

/** Networks of IPv4 that the world does not reach, that are kept for examples, or where clouds keep what is theirs. */
const privateNetworks = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16'],
  ...['192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  '168.63.129.16/32',
]
/** All that the world reaches by IPv6: every way to write an address of IPv4 lies outside, but for the two tunnels below. */
const worldNetwork = '2000::/3'
/** What is kept in it for protocols (Teredo among them), examples and 6to4. */
const innerNetworks = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** Keeps the model away from this machine, its network, and the websites that the person has blocked. */
export function createAddressGuard({ settings, lookup }: GuardOptions): GuardAddress {
  const inside = listNetworks([...privateNetworks, ...innerNetworks])
  const world = listNetworks([worldNetwork])
  const isInside = (address: string): boolean => {
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    return inside.check(address, family) || (family === 'ipv6' && !world.check(address, family))
  }
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
    if (addresses.some(isInside)) return refuse('it leads into a private network, which security.allow_private_urls permits')
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

function listNetworks(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/** `example.org` and `*.example.org` both stand for the name and all below it. */
function isBelow(host: string, website: string): boolean {
  const name = website.replace(/^\*\.|\.$/g, '').toLowerCase()
  return host === name || host.endsWith(`.${name}`)
}
