import type { ModelMessage } from '@agent/plugin-sdk'
import { systemClock } from '../../../host/src/kernel/clock.ts'
import { silentLog } from '../../../host/src/observe/silent-log.ts'
import { nativeBinding } from '../../../host/src/store/native.ts'
import { openStore } from '../../../host/src/store/sqlite/open.ts'
import type { TestHome } from '../test-home.ts'
import { boatOf, isTold, openLongTalk } from './long-talk.ts'

/** Fills a session until its next turn is too long. */
export async function fillTalk(home: TestHome): Promise<{ readonly id: string; readonly messages: number; readonly turns: number }> {
  await using talk = await openLongTalk(home)
  const { sessions } = talk.agent.store
  for (let turn = 1; ; turn++) {
    const events = await talk.say(turn)
    const session = await sessions.byKey('talk')
    if (!events.some(isTold) && session && (session.context ?? 0) >= 15_500)
      return { id: session.id, messages: session.messages, turns: turn }
  }
}

export interface KeptTalk {
  readonly history: readonly ModelMessage[]
  /** How many of the first ten facts are found. */
  readonly found: number
  readonly compressions: number
}

/** What the file of a store holds of the session. */
export async function readTalk(file: string, id: string): Promise<KeptTalk> {
  const store = await openStore({ file, durability: 'process', clock: systemClock, log: silentLog, nativeBinding: nativeBinding({}) })
  try {
    const { sessions } = store
    const found = await Promise.all(Array.from({ length: 10 }, (_, at) => sessions.search(boatOf(at + 1), { limit: 5 })))
    const history = await sessions.history(id)
    return { history, found: found.filter((hits) => hits.length === 1).length, compressions: await sessions.compressions(id) }
  } finally {
    await store.close()
  }
}
