import type { State } from '@agent/plugin-sdk'
import * as z from 'zod/mini'

/** Where people start their browser for debuggers. */
export const usualAddress = 'http://127.0.0.1:9222'

const kept = z.object({ url: z.string(), process: z.number() })
const key = 'connected'

/** The browser that the owner has connected at this terminal: other processes, such as a gateway, do not use it. */
export async function readConnection(state: State): Promise<string | undefined> {
  const found = kept.safeParse(await state.get(key))
  return found.success && found.data.process === thisProcess() ? found.data.url : undefined
}

export async function keepConnection(state: State, url: string | undefined): Promise<void> {
  if (url === undefined) await state.delete(key)
  else await state.set(key, { url, process: thisProcess() })
}

/** When this process began, to parts of a millisecond; numbers of processes come again. */
const thisProcess = (): number => performance.timeOrigin
