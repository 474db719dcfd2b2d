import { createHmac } from 'node:crypto'
import { isSameSecret } from '@agent/plugin-sdk/http'

/** Twilio's signature of a call: the address, then names and values of the form, in the order of the names. */
export function formatSignature(authToken: string, url: string, form: URLSearchParams): string {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of form) values.set(name, (values.get(name) ?? new Set()).add(value))
  const names = [...values.keys()].sort()
  const pairs = names.flatMap((name) => [...(values.get(name) ?? [])].sort().map((value) => name + value))
  return createHmac('sha1', authToken)
    .update(url + pairs.join(''))
    .digest('base64')
}

/** Twilio may or may not have put the usual port into what it signed. */
export function isSigned(given: string, authToken: string, url: string, form: URLSearchParams): boolean {
  return listAddresses(url).some((address) => isSameSecret(given, formatSignature(authToken, address, form)))
}

function listAddresses(url: string): readonly string[] {
  const [, scheme = '', host = '', port, rest = ''] = /^(https?):\/\/([^/:?#]+)(?::(\d+))?([^#]*)/i.exec(url) ?? []
  const bare = `${scheme}://${host}${rest}`
  const usual = scheme.toLowerCase() === 'https' ? '443' : '80'
  return port === undefined || port === usual ? [bare, `${scheme}://${host}:${usual}${rest}`] : [`${scheme}://${host}:${port}${rest}`, bare]
}
