import type { Wire } from '@agent/plugin-sdk'
import { hideInUrls } from '@agent/plugin-sdk/errors'

const hidden = '[secret]'

/** The text without the secrets; they come longest first, so that no part of one stays. */
export function maskText(text: string, secrets: readonly string[]): string {
  let masked = hideInUrls(text)
  for (const secret of secrets) {
    if (masked.includes(secret)) masked = masked.replaceAll(secret, hidden)
    const inUrl = encodeURIComponent(secret)
    if (inUrl !== secret && masked.includes(inUrl)) masked = masked.replaceAll(inUrl, hidden)
  }
  return masked
}

/** The same for everything inside a value. Bytes are told by their number only. */
export function maskValue(value: Wire | undefined, secrets: readonly string[]): Wire | undefined {
  if (typeof value === 'string') return maskText(value, secrets)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`
  if (Array.isArray(value)) return value.map((item: Wire) => maskValue(item, secrets) ?? null)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskValue(item, secrets)]))
}
