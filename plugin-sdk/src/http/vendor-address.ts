/** Whether an address belongs to a vendor: it lies where its interface is configured to be, or on one of its hosts over https. */
export function isVendorAddress(address: string, base: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') return false
  if (url.origin === new URL(base).origin) return true
  return url.protocol === 'https:' && url.port === '' && hosts.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`))
}
