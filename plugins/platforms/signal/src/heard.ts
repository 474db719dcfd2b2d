import type { Clock, State } from '@agent/plugin-sdk'
import * as z from 'zod/mini'
import type { Envelope } from './wire.ts'

const stored = z.object({ id: z.nullable(z.string()), since: z.number() })

/** Which events were dealt with; newer daemons give each an id, and keep the last thousand. */
export interface Heard {
  /** After which event the daemon shall begin; undefined where nobody has listened for this account before. */
  readonly lastId: string | undefined
  /** What was said before anybody listened, and comes now because no event was dealt with yet. */
  isOld(envelope: Envelope): boolean
  setLast(id: string): Promise<void>
}

/** For an id that it does not know the daemon gives everything that it keeps. */
const anyId = 'none'

export async function openHeard(state: State, account: string, clock: Clock): Promise<Heard> {
  const key = `heard:${account}`
  const before = stored.safeParse(await state.get(key)).data
  const { id, since } = before ?? { id: null, since: clock.now() }
  if (!before) await state.set(key, { id, since })
  return {
    lastId: before && (id ?? anyId),
    isOld: ({ serverReceivedTimestamp }) => before?.id === null && (serverReceivedTimestamp ?? since) < since,
    setLast: (last) => state.set(key, { id: last, since }),
  }
}
