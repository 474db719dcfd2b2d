import { BlockList, isIP } from 'node:net'
import { fail } from '@agent/plugin-sdk/errors'

export interface GuardOptions {
  readonly settings: () => { readonly website_blocklist: readonly string[]; readonly allow_private_urls: boolean }
  /** The addresses of a name. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>
}

/** Rejects with WEB_ADDRESS_REFUSED where an address is not to be asked. */
export type GuardAddress = (address: string) => Promise<void>

/** Networks that the world does not reach, and ways to write their addresses as others. */
const privateNetworks = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/32', '2002::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]

/** Keeps the model away from this machine, its network, and the websites that the person has blocked. */
export function createAddressGuard({ settings, lookup }: GuardOptions): GuardAddress {
  const inside = new BlockList()
  for (const network of privateNetworks) {
    const [address = '', prefix] = network.split('/')
    inside.addSubnet(address, Number(prefix), familyOf(address))
  }
  return async (address) => {
    const refuse = (reason: string): never => {
      throw fail('WEB_ADDRESS_REFUSED', { url: address.slice(0, 500), reason })
    }
    const url = URL.canParse(address) ? new URL(address) : undefined
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return refuse('it is no http or https address')
    const host = url.hostname.replace(/^\[|\]$|\.$/g, '')
    const { website_blocklist: blocked, allow_private_urls: all } = settings()
    if (blocked.some((website) => isBelow(host, website))) return refuse('security.website_blocklist names it')
    if (all) return
    const addresses = isIP(host) ? [host] : await lookup(host).catch(() => [])
    if (addresses.length === 0) return refuse('its name leads to no address')
    if (addresses.some((one) => inside.check(one, familyOf(one))))
      return refuse('it leads into a private network, which security.allow_private_urls permits')
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}

/** `example.org` and `*.example.org` both stand for the name and all below it. */
function isBelow(host: string, website: string): boolean {
  const name = website.replace(/^\*\./, '').toLowerCase()
  return host === name || host.endsWith(`.${name}`)
}
