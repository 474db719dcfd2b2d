import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sessionKey } from '../../host/src/gateway/session-key.ts'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { silentLog } from '../../host/src/observe/silent-log.ts'
import { openStore } from '../../host/src/store/open.ts'
import type { Store } from '../../host/src/store/store.ts'
import { addPlatform } from '../faults/platform-folder.ts'
import { createRandom } from '../faults/random.ts'
import { openVendor } from '../faults/vendor.ts'
import { startAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bounded = { timeout: 20_000, interval: 20 }
const minute = 60_000

async function withStore<T>(home: TestHome, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ file: join(home.home, 'state.db'), durability: 'process', clock: systemClock, log: silentLog })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

const keyOf = (conversation: string): string =>
  sessionKey(
    { profile: 'default', platform: 'post' },
    {
      ...{ id: '1', account: 'bot', text: '', addressed: true },
      conversation: { id: conversation, kind: 'dm' },
      sender: { id: 'ann', isBot: false },
    },
  )

/** A session that somebody used last at `at`. */
async function addSession({ sessions }: Store, conversation: string, at: number): Promise<void> {
  const create = { key: keyOf(conversation), source: 'post', provider: 'offline', model: 'offline', system: '', tools: '[]' }
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  const messages = [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'before' }] }]
  await sessions.commit({ session: { id: `ses_${conversation}`, create }, messages, usage, calls: 0, at })
}

test('a conversation that was silent for too long begins a new session with its next message; another goes on', async () => {
  using home = openTestHome()
  await using vendor = await openVendor({ keys: true, random: createRandom(1) })
  await addPlatform(home, root, { id: 'post', keys: true })
  home.write(
    'config.yaml',
    JSON.stringify({
      plugins: { entries: { 'platform-post': { enabled: true } } },
      platforms: { post: { extra: { port: vendor.port, pauseMs: 0 } } },
      session_reset: { mode: 'idle', idle_minutes: 30 },
    }),
  )
  await withStore(home, async (store) => {
    await addSession(store, 'stale', Date.now() - 31 * minute)
    await addSession(store, 'fresh', Date.now() - 1 * minute)
  })
  const environment = { AGENT_INFERENCE_PROVIDER: 'offline', POST_ALLOWED_USERS: 'ann' }
  const gateway = startAgent(home, ['gateway', 'run'], { environment, timeoutMs: 60_000 })
  await expect.poll(vendor.connections, bounded).toBe(1)
  for (const conversation of ['stale', 'fresh']) vendor.say({ id: conversation, conversation, text: 'stream 2 tokens' })
  await expect.poll(() => vendor.arrivals.length, bounded).toBe(2)
  gateway.child.kill('SIGTERM')
  await gateway.ended
  await withStore(home, async ({ sessions }) => {
    expect(await sessions.find('ses_stale')).toMatchObject({ endReason: 'idle', messages: 1 })
    expect(await sessions.byKey(keyOf('stale'))).toMatchObject({ id: expect.not.stringContaining('stale'), messages: 2 })
    expect(await sessions.byKey(keyOf('fresh'))).toMatchObject({ id: 'ses_fresh', messages: 3, endedAt: null })
  })
}, 60_000)
