import { fail } from './errors.ts'

type Net = readonly string[] | 'none' | 'any'

/** Throws PLUGIN_UNDECLARED unless `permissions.net` allows the host of an address. A pattern `*.example.org` stands for every name below it, not for itself. */
export function requireReach(plugin: string, net: Net, url: string | URL): void {
  const { hostname } = new URL(url)
  if (mayReach(net, hostname)) return
  throw fail('PLUGIN_UNDECLARED', { plugin, access: hostname, field: `"${hostname}" in permissions.net` })
}

function mayReach(net: Net, hostname: string): boolean {
  if (net === 'any' || net === 'none') return net === 'any'
  return net.some((pattern) => (pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern))
}
