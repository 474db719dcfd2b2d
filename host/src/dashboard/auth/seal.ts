import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '@agent/plugin-sdk'

/** Lets a browser keep something that nobody else can have written, and that nobody reads there. */
export interface Seal<Value> {
  close(value: Value, livesMs: number): string
  /** Undefined for what another has made, and for what is too old. */
  open(text: string | undefined): Value | undefined
}

const cipher = 'aes-256-gcm'
const [nonceBytes, tagBytes] = [12, 16] as const

/** `purpose`: what was sealed for one is worth nothing for another. */
export function createSeal<Value>(secret: string, purpose: string, clock: Pick<Clock, 'now'>): Seal<Value> {
  const key = createHmac('sha256', secret).update(`seal\0${purpose}`).digest()
  return {
    close(value, livesMs) {
      const nonce = randomBytes(nonceBytes)
      const sealing = createCipheriv(cipher, key, nonce)
      const hidden = Buffer.concat([nonce, sealing.update(JSON.stringify({ end: clock.now() + livesMs, value })), sealing.final()])
      return `${hidden.toString('base64url')}.${sealing.getAuthTag().toString('base64url')}`
    },
    open(text = '') {
      const [hidden = Buffer.alloc(0), tag = Buffer.alloc(0)] = text.split('.').map((part) => Buffer.from(part, 'base64url'))
      // A shorter tag would be easier to guess.
      if (tag.length !== tagBytes || hidden.length < nonceBytes) return undefined
      const opening = createDecipheriv(cipher, key, hidden.subarray(0, nonceBytes), { authTagLength: tagBytes }).setAuthTag(tag)
      const plain = opening.update(hidden.subarray(nonceBytes))
      try {
        opening.final()
      } catch {
        return undefined
      }
      // The tag proves that it was written above.
      const { end, value } = JSON.parse(plain.toString()) as { readonly end: number; readonly value: Value }
      return clock.now() < end ? value : undefined
    },
  }
}
