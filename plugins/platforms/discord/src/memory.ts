import type { State } from '@agent/plugin-sdk'
import * as z from 'zod/mini'
import { compareIds, read } from './wire.ts'

/** The last message that was handed in of each conversation that goes on, kept over restarts. */
export interface Memory {
  /** A conversation goes on in the channel from this message on; later calls change nothing. */
  follow(channel: string, message: string): void
  /** A message was handed in. */
  setHeard(channel: string, message: string): void
  forget(channel: string): void
  list(): readonly (readonly [channel: string, message: string])[]
  /** Resolves when everything is written. */
  written(): Promise<void>
}

const mostChannels = 100
const stored = z.array(z.tuple([z.string(), z.string()]))

export async function openMemory(state: State, account: string, onFailure: (error: unknown) => void): Promise<Memory> {
  const key = `heard:${account}`
  const heard = new Map<string, string>(read(stored, await state.get(key)) ?? [])
  let writing = Promise.resolve()
  const write = (): void => {
    writing = writing.then(() => state.set(key, [...heard])).catch(onFailure)
  }
  const set = (channel: string, message: string): void => {
    // The channel in which something was said last stands last; the first goes when there are too many.
    heard.delete(channel)
    heard.set(channel, message)
    const [oldest = ''] = heard.keys()
    if (heard.size > mostChannels) heard.delete(oldest)
    write()
  }
  return {
    follow: (channel, message) => void (heard.has(channel) || set(channel, message)),
    setHeard: (channel, message) => void (compareIds(message, heard.get(channel) ?? message) > 0 && set(channel, message)),
    forget: (channel) => void (heard.delete(channel) && write()),
    list: () => [...heard],
    written: () => writing,
  }
}
