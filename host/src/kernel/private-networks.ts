import { BlockList, isIP } from 'node:net'

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

/** Tells whether an address belongs to this machine, to its network or to nobody. The lists are made for the first address: they take 5 ms. */
export function createPrivateNetworks(): (address: string) => boolean {
  let lists: { readonly inside: BlockList; readonly world: BlockList } | undefined
  return (address) => {
    lists ??= { inside: listNetworks([...privateNetworks, ...innerNetworks]), world: listNetworks([worldNetwork]) }
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    return lists.inside.check(address, family) || (family === 'ipv6' && !lists.world.check(address, family))
  }
}

function listNetworks(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
