// @module-tag process
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEventRows } from '../../host/src/agent/notifiers/event-rows.ts'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { silentLog } from '../../host/src/observe/silent-log.ts'
import { nativeBinding } from '../../host/src/store/native.ts'
import { openStore } from '../../host/src/store/sqlite/open.ts'
import type { Store } from '../../host/src/store/store.ts'
import { createRandom } from '../faults/random.ts'
import { addPostOffice } from '../support/gateways/post-office.ts'
import { gatewayRuns, startAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const events = 40
const kills = 4
const environment = { AGENT_INFERENCE_PROVIDER: 'offline', AGENT_OFFLINE_OPEN: 'true' }

/** The store of the home, as another process would have it. */
function openBeside(home: TestHome): Promise<Store> {
  const native = nativeBinding({ folder: home.environment.AGENT_NATIVE_CACHE ?? '' })
  const file = join(home.home, 'state.db')
  return openStore({ file, durability: 'process', clock: systemClock, log: silentLog, nativeBinding: native })
}

/** A notifier that makes two posts of an event. */
function addBell(home: TestHome): void {
  const about = { manifestVersion: 1, id: 'notifier-bell', name: 'Bell', description: 'Rings.', version: '1.0.0', license: 'MIT' }
  const spec = { id: 'bell', entry: 'dist/bell.js', label: 'Bell', events: ['bell.rung'] }
  const folder = 'plugins/local/notifier-bell'
  home.write(`${folder}/agent.plugin.json`, JSON.stringify({ ...about, api: { notifier: 1 }, contributes: { notifiers: [spec] } }))
  home.write(`${folder}/package.json`, '{ "type": "module" }')
  const code = "export default { open: async () => ({ hear: async ({ data }) => [{ text: 'ding ' + data }, { text: 'dong ' + data }] }) }\n"
  home.write(`${folder}/dist/bell.js`, code)
}

test('a gateway that is killed while it tells of events neither loses a post nor queues one twice', async () => {
  using home = openTestHome()
  const office = addPostOffice(home)
  addBell(home)
  home.write('config.yaml', 'plugins: { entries: { platform-post: { enabled: true }, notifier-bell: { enabled: true } } }\n')
  home.write('.env', 'POST_TOKEN=right\nPOST_ALLOWED_USERS=ann\n')
  const store = await openBeside(home)
  const rows = openEventRows(store.kv)
  const origin = 'agent:main:post:dm:branch-1:ann'
  for (let index = 0; index < events; index++)
    await rows.add({ id: `evt_${index}`, name: 'bell.rung', at: Date.now() + index, data: index, origin })
  const random = createRandom(20_261_128)
  for (let kill = 1; kill <= kills; kill++) {
    const gateway = startAgent(home, ['gateway', 'run'], { environment })
    await gateway.heard(gatewayRuns)
    const left = events - (events * kill) / (kills + 1) - random.between(0, 4)
    await expect.poll(async () => (await rows.keys()).length, { timeout: 20_000, interval: 1 }).toBeLessThan(left)
    gateway.child.kill('SIGKILL')
    await gateway.ended
  }
  const gateway = startAgent(home, ['gateway', 'run'], { environment, timeoutMs: 60_000 })
  await expect.poll(async () => (await rows.keys()).length, { timeout: 30_000 }).toBe(0)
  await expect.poll(store.journal.pending, { timeout: 30_000 }).toEqual([])
  const unknown = await store.journal.unknownSends()
  const said = office.posted().flatMap(({ text }) => (text.startsWith('d') ? [text] : []))
  expect(new Set(said).size).toBe(said.length)
  const all = Array.from({ length: events }, (_, index) => [`ding ${index}`, `dong ${index}`]).flat()
  // A letter that was on its way as the gateway was killed may have arrived, and its conversation is told so.
  expect([...new Set([...said, ...unknown.map(({ text }) => text)])].sort()).toEqual(all.sort())
  expect(unknown.length).toBeLessThanOrEqual(kills)
  gateway.child.kill('SIGTERM')
  await gateway.ended
  await store.close()
}, 180_000)
