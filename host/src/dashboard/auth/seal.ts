import { createHmac } from 'node:crypto'
import type { Clock } from '@agent/plugin-sdk'
import { isSameSecret } from '@agent/plugin-sdk/http'

/** Lets a browser keep something that nobody else can have written. */
export interface Seal<Value> {
  close(value: Value, livesMs: number): string
  /** Undefined for what another has made, and for what is too old. */
  open(text: string | undefined): Value | undefined
}

/** `purpose`: what was sealed for one is worth nothing for another. */
export function createSeal<Value>(secret: string, purpose: string, clock: Pick<Clock, 'now'>): Seal<Value> {
  const sign = (text: string): string => createHmac('sha256', secret).update(`${purpose}\0${text}`).digest('base64url')
  return {
    close(value, livesMs) {
      const body = Buffer.from(JSON.stringify({ end: clock.now() + livesMs, value })).toString('base64url')
      return `${body}.${sign(body)}`
    },
    open(text = '') {
      const [body = '', signature = ''] = text.split('.')
      if (!isSameSecret(signature, sign(body))) return undefined
      // The signature proves that it was written above.
      const { end, value } = JSON.parse(Buffer.from(body, 'base64url').toString()) as { readonly end: number; readonly value: Value }
      return clock.now() < end ? value : undefined
    },
  }
}
