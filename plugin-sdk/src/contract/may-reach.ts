import { fail } from './errors.ts'

/** What `permissions.net` says: names and addresses, with a port where only that one is meant, and the words `any`, `private` and `direct`. */
export type DeclaredNet = readonly string[] | 'none' | 'any'

/** Throws PLUGIN_UNDECLARED unless `permissions.net` allows the host of an address. A pattern `*.example.org` stands for every name below it, not for itself. */
export function requireReach(plugin: string, net: DeclaredNet, url: string | URL): void {
  const { hostname, port, protocol } = new URL(url)
  if (mayReach(net, hostname.replace(/^\[|\]$/g, ''), Number(port || (protocol === 'http:' ? 80 : 443)))) return
  throw fail('PLUGIN_UNDECLARED', { plugin, access: hostname, field: `"${hostname}" in permissions.net` })
}

/** Whether a name or an address is declared, as far as this can be told without looking it up. */
export function mayReach(net: DeclaredNet, host: string, port: number): boolean {
  const declared = typeof net === 'string' ? [net] : net
  if (declared.includes('any') || declared.includes('direct')) return true
  // Whether an address is a private one is judged where the connection is made.
  if (declared.includes('private') && (host === 'localhost' || /^[\d.]+$|:/.test(host))) return true
  return declared.some((pattern) => fits(pattern, host, port))
}

function fits(pattern: string, host: string, port: number): boolean {
  const [, name = pattern, only] = /^([^:]+|\[.*\]):(\d+)$/.exec(pattern) ?? []
  if (only !== undefined && Number(only) !== port) return false
  const wanted = name.replace(/^\[|\]$/g, '').toLowerCase()
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted
}
