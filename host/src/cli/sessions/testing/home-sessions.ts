import { join } from 'node:path'
import type { ModelMessage } from '@agent/plugin-sdk'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { nativeBinding } from '#store/native.ts'
import type { NewSession, Sessions, TurnRows } from '#store/sessions.ts'
import { openStore } from '#store/sqlite/open.ts'

interface Place {
  /** Folder of the home. */
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Lends the sessions of a home. */
export async function withSessions<Value>({ home, environment }: Place, work: (sessions: Sessions) => Promise<Value>): Promise<Value> {
  const store = await openStore({
    ...{ file: join(home, 'state.db'), durability: 'process', log: silentLog, clock: systemClock },
    nativeBinding: nativeBinding({ folder: environment.AGENT_NATIVE_CACHE ?? '' }),
  })
  try {
    return await work(store.sessions)
  } finally {
    await store.close()
  }
}

/** A turn in which something was said and answered. */
export function turnOf(
  id: string,
  said: string,
  { at = 1_000, ...create }: Partial<NewSession> & { readonly at?: number } = {},
): TurnRows & { readonly messages: readonly ModelMessage[] } {
  const made = { source: 'cli', provider: 'offline', model: 'offline', system: 'You are…', tools: '[]', ...create }
  return {
    session: { id, create: made },
    messages: [
      { role: 'user', parts: [{ type: 'text', text: said }] },
      { role: 'assistant', parts: [{ type: 'text', text: `${said}!` }] },
    ],
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    calls: 1,
    at,
  }
}
