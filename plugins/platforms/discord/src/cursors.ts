import type { State } from '@agent/plugin-sdk'
import * as z from 'zod/mini'
import { compareIds } from './wire.ts'

/** The last message that was handed in of each conversation that goes on, kept over restarts. */
export interface Cursors {
  /** A conversation goes on in this channel from this message on; later calls change nothing. */
  follow(channel: string, message: string): void
  /** A message of a channel was handed in. */
  move(channel: string, message: string): void
  forget(channel: string): void
  list(): readonly (readonly [channel: string, message: string])[]
  /** Resolves when everything is written. */
  written(): Promise<void>
}

const mostChannels = 100
const stored = z.array(z.tuple([z.string(), z.string()]))

export async function openCursors(state: State, account: string, onFailure: (error: unknown) => void): Promise<Cursors> {
  const key = `cursors:${account}`
  const cursors = new Map<string, string>(stored.safeParse(await state.get(key)).data ?? [])
  let writing: Promise<void> | undefined
  let stale = false
  const write = async (): Promise<void> => {
    while (stale) {
      stale = false
      await state.set(
        key,
        [...cursors].map((entry) => [...entry]),
      )
    }
  }
  const save = (): void => {
    stale = true
    writing ??= write()
      .catch(onFailure)
      .finally(() => {
        writing = undefined
      })
  }
  const set = (channel: string, message: string): void => {
    // The channel in which something was said last stands last; the first goes when there are too many.
    cursors.delete(channel)
    cursors.set(channel, message)
    const [oldest] = cursors.keys()
    if (cursors.size > mostChannels && oldest !== undefined) cursors.delete(oldest)
    save()
  }
  return {
    follow: (channel, message) => {
      if (!cursors.has(channel)) set(channel, message)
    },
    move: (channel, message) => {
      const before = cursors.get(channel)
      if (before !== undefined && compareIds(message, before) > 0) set(channel, message)
    },
    forget: (channel) => {
      if (cursors.delete(channel)) save()
    },
    list: () => [...cursors],
    written: async () => writing,
  }
}
