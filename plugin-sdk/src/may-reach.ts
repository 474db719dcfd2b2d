/** Whether `permissions.net` allows a host. A pattern `*.example.org` stands for every name below it, not for itself. */
export function mayReach(net: readonly string[] | 'none' | 'any', hostname: string): boolean {
  if (net === 'any' || net === 'none') return net === 'any'
  return net.some((pattern) => (pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern))
}
