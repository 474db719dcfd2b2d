/** The address of a request without the path below which a proxy shows the dashboard; some proxies take it away themselves. */
export function withoutBase(url: string, base = ''): string {
  if (base === '' || !url.startsWith(base)) return url
  const rest = url.slice(base.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}
