import type { State } from '@agent/plugin-sdk'
import { type Attempt, parseMemory } from './wire.ts'

/** What was handed to Twilio, and what came of it; it survives a crash between the two. */
export interface Memory {
  begin(attempt: Attempt): Promise<void>
  /** Twilio has taken it under this id, or has not taken it. */
  settle(key: string, sid: string | undefined): Promise<void>
  /** What was begun and of which nothing was heard. */
  find(key: string): Attempt | undefined
  /** Whether another send has this id. */
  isKnown(sid: string): boolean
}

const mostAttempts = 50
const mostSids = 500

export async function openMemory(state: State, account: string): Promise<Memory> {
  const key = `sends:${account}`
  let { attempts, sids } = parseMemory(await state.get(key))
  const keep = (): Promise<void> => state.set(key, { attempts, sids })
  return {
    begin: async (attempt) => {
      attempts = [...attempts.filter((one) => one.key !== attempt.key), attempt].slice(-mostAttempts)
      await keep()
    },
    settle: async (settled, sid) => {
      attempts = attempts.filter((one) => one.key !== settled)
      if (sid !== undefined) sids = [...sids, sid].slice(-mostSids)
      await keep()
    },
    find: (wanted) => attempts.find((one) => one.key === wanted),
    isKnown: (sid) => sids.includes(sid),
  }
}
