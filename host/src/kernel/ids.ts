import { randomBytes } from 'node:crypto'
import type { Clock } from '@agent/plugin-sdk'
import { systemClock } from './clock.ts'

/** What an id names. */
export type IdPrefix = 'ses' | 'trn' | 'msg' | 'job' | 'run' | 'boot' | 'call' | 'ask'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** A sortable id, unique across machines: `ses_` + 10 characters of time + 13 of chance. */
export function newId(prefix: IdPrefix, clock: Clock = systemClock): string {
  let time = ''
  for (let rest = clock.now(), digit = 0; digit < 10; digit++, rest = Math.floor(rest / 32)) time = alphabet[rest % 32] + time
  let chance = ''
  for (const byte of randomBytes(13)) chance += alphabet[byte & 31]
  return `${prefix}_${time}${chance}`
}
