import { randomUUID } from 'node:crypto'
import type { Clock } from '@agent/plugin-sdk'
import { systemClock } from './clock.ts'

/** What an id names. */
export type IdPrefix = 'ses' | 'trn' | 'msg' | 'job' | 'run' | 'boot' | 'call' | 'ask' | 'mem' | 'skl' | 'sub' | 'evt'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** Where a UUID has two digits of chance; its version, variant and dashes are passed over. */
const places = [0, 2, 4, 6, 9, 11, 15, 24, 26, 28, 30, 32, 34] as const

/** A sortable id, unique across machines: `ses_` + 10 characters of time + 13 of chance. */
export function newId(prefix: IdPrefix, clock: Clock = systemClock): string {
  let time = ''
  for (let rest = clock.now(), digit = 0; digit < 10; digit++, rest = Math.floor(rest / 32)) time = alphabet[rest % 32] + time
  // Node draws the chance of many of these at once; asking the system for each id is most of what an id costs.
  const uuid = randomUUID()
  let chance = ''
  for (const place of places) chance += alphabet[((digitAt(uuid, place) & 1) << 4) | digitAt(uuid, place + 1)]
  return `${prefix}_${time}${chance}`
}

function digitAt(uuid: string, place: number): number {
  const code = uuid.charCodeAt(place)
  return code > 57 ? code - 87 : code - 48
}
