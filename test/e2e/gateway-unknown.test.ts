// @module-tag process
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { missingMark } from '../../host/src/gateway/outbound/send-doubt.ts'
import { addPlatform } from '../faults/platform-folder.ts'
import { createRandom } from '../faults/random.ts'
import { openVendor } from '../faults/vendor.ts'
import { type AgentProcess, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bounded = { timeout: 20_000, interval: 20 }

test('an answer whose receipt a kill took is listed as unknown, not sent twice, and sent again when somebody says so', async () => {
  using home = openTestHome()
  await using vendor = await openVendor({ keys: false, random: createRandom(1), silent: true })
  await addPlatform(home, root, { id: 'post', keys: false })
  const platforms = { post: { extra: { port: vendor.port, pauseMs: 0 } } }
  home.write('config.yaml', JSON.stringify({ plugins: { entries: { 'platform-post': { enabled: true } } }, platforms }))
  const environment = { AGENT_INFERENCE_PROVIDER: 'offline', POST_ALLOWED_USERS: 'ann' }
  const start = async (connections: number): Promise<AgentProcess> => {
    const gateway = startAgent(home, ['gateway', 'run'], { environment, timeoutMs: 60_000 })
    await expect.poll(vendor.connections, bounded).toBe(connections)
    return gateway
  }
  const kill = async (gateway: AgentProcess): Promise<void> => {
    gateway.child.kill('SIGKILL')
    await gateway.ended
  }
  const arrived = (): readonly string[] => vendor.arrivals.map(({ text }) => text)
  const unknown = async (): Promise<{ seq: number; text: string }[]> =>
    JSON.parse((await runHere(home, ['gateway', 'status', '--json'])).out).unknown

  const first = await start(1)
  vendor.say({ id: 'm1', conversation: 'c1', text: 'stream 2 tokens' })
  await expect.poll(() => vendor.arrivals.length, bounded).toBe(1)
  await kill(first)
  const second = await start(2)
  await expect.poll(unknown, bounded).toMatchObject([{ platform: 'post', conversation: 'c1', text: 'offline-1 offline-2' }])
  const [lost] = await unknown()
  expect((await runHere(home, ['gateway', 'status'])).out).toMatch(
    /Nobody can tell .*:\n {2}\d+ {2}post c1 {2}\d+ s ago {2}offline-1 offline-2\nagent gateway resend NUMBER/,
  )
  await expect.poll(arrived, bounded).toEqual(['offline-1 offline-2', missingMark])
  expect(await runHere(home, ['gateway', 'resend', '999'])).toMatchObject({
    code: 2,
    note: 'agent: There is no answer 999 of unknown fate. Try: agent gateway status\n',
  })
  await kill(second)
  expect(await runHere(home, ['gateway', 'resend', String(lost?.seq)])).toMatchObject({ code: 0 })
  expect(await unknown()).toEqual([])
  const third = await start(3)
  await expect.poll(arrived, bounded).toEqual(['offline-1 offline-2', missingMark, 'offline-1 offline-2'])
  await kill(third)
}, 60_000)
