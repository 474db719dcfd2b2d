import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares in constant time; the time tells neither the length nor a common beginning. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected)) && given.length === expected.length
}
