import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../host/src/kernel/clock.ts'
import { silentLog } from '../../../host/src/observe/silent-log.ts'
import { nativeBinding } from '../../../host/src/store/native.ts'
import type { SessionSummary } from '../../../host/src/store/sessions.ts'
import { openStore } from '../../../host/src/store/sqlite/open.ts'
import type { TestHome } from '../../support/test-home.ts'

/** The stored sessions of child agents. Nobody else has the store open. */
export async function readChildren(home: TestHome): Promise<readonly SessionSummary[]> {
  const file = join(home.home, 'state.db')
  const store = await openStore({ file, durability: 'process', clock: systemClock, log: silentLog, nativeBinding: nativeBinding({}) })
  try {
    return await store.sessions.list({ limit: 10_000, source: 'subagent' })
  } finally {
    await store.close()
  }
}

/** What tools of child agents wrote down, one line for each run. */
export function readLines(home: TestHome): readonly string[] {
  const file = join(home.home, 'workspace', 'lines.txt')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}
