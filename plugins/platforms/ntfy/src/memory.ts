import type { State } from '@agent/plugin-sdk'
import * as z from 'zod/mini'
import type { NtfyEvent } from './wire.ts'

const heardSchema = z.object({ id: z.nullable(z.string()), time: z.number() })
const attemptsSchema = z.array(z.object({ mark: z.string(), topic: z.string(), after: z.nullable(z.string()), at: z.number() }))

export type Heard = z.output<typeof heardSchema>
export type Attempt = z.output<typeof attemptsSchema>[number]

/** What outlives a connection: how far we have heard, and which messages we began to send. */
export interface Memory {
  /** Kept apart from what other agents write on the same topic. */
  readonly salt: string
  heard(): Heard | undefined
  /** Everything up to this event is dealt with. */
  setHeard(event: Pick<NtfyEvent, 'id' | 'time' | 'event'>): Promise<void>
  /** Is told before a message goes out. */
  begin(mark: string, topic: string, now: number): Promise<void>
  attempt(mark: string): Attempt | undefined
  /** The server keeps this message of the topic. */
  learn(topic: string, id: string): void
}

/** Lost receipts are asked for right after a restart; more than these are never in flight. */
const mostAttempts = 50

export async function openMemory(state: State, account: string, topic: string, createId: () => string): Promise<Memory> {
  const keys = { salt: 'salt', heard: `heard:${account}`, attempts: `attempts:${account}` }
  const salt = z.string().safeParse(await state.get(keys.salt)).data ?? createId()
  await state.set(keys.salt, salt)
  let heard = heardSchema.safeParse(await state.get(keys.heard)).data
  let attempts: readonly Attempt[] = attemptsSchema.safeParse(await state.get(keys.attempts)).data ?? []
  const newest = new Map<string, string>()
  if (heard?.id) newest.set(topic, heard.id)
  return {
    salt,
    heard: () => heard,
    setHeard: async ({ id, time, event }) => {
      // Only messages are kept by the server, so that it can go on after them.
      heard = { id: event === 'message' ? id : null, time: Math.max(time, heard?.time ?? 0) }
      if (heard.id) newest.set(topic, heard.id)
      await state.set(keys.heard, heard)
    },
    begin: async (mark, target, at) => {
      const next: Attempt = { mark, topic: target, after: newest.get(target) ?? null, at }
      attempts = [...attempts.filter((one) => one.mark !== mark), next].slice(-mostAttempts)
      await state.set(keys.attempts, [...attempts])
    },
    attempt: (mark) => attempts.find((one) => one.mark === mark),
    learn: (target, id) => void newest.set(target, id),
  }
}

/** The part of the address that asks for what was said since. */
export function formatSince(heard: Heard | undefined): string {
  return heard ? `?since=${encodeURIComponent(heard.id ?? String(heard.time))}` : ''
}
