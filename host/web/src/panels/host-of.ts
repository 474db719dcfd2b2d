/** Where an address of a plugin leads to; undefined where it is none of the web, which no link is made of. */
export function hostOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, host } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? host : undefined
}
