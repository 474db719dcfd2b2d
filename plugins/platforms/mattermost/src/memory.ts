import type { State } from '@agent/plugin-sdk'
import * as z from 'zod/mini'

/** Up to when everything was heard, by the clock of the server. */
export interface Memory {
  /** Milliseconds since 1970; undefined before the first start. */
  heard(): number | undefined
  /** From when on things are heard at all. */
  began(): number
  /** Everything up to then was handed in, or is too old to be heard. */
  setHeard(time: number): Promise<void>
}

const stored = z.object({ began: z.number(), heard: z.number() })

export async function openMemory(state: State, account: string): Promise<Memory> {
  const key = `heard:${account}`
  let memory = stored.safeParse(await state.get(key)).data
  let writing: Promise<void> = Promise.resolve()
  return {
    heard: () => memory?.heard,
    began: () => memory?.began ?? 0,
    setHeard: (time) => {
      if (memory && time <= memory.heard) return writing
      const next = { began: memory?.began ?? time, heard: time }
      memory = next
      writing = writing.then(() => state.set(key, next))
      return writing
    },
  }
}
