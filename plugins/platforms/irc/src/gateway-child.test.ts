// @module-tag process
import { expect, test } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'
import { runAgent, startAgent } from '../../../../test/support/run-agent.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { openIrcPerson } from '../test/irc-person.ts'
import { ngircdMissing, openNgircd } from '../test/ngircd.ts'

const bounded = { timeout: 25_000, interval: 20 }

test('kept in a separate process, it answers people, and again after that process was ended', {
  ...needs(ngircdMissing),
  timeout: 60_000,
}, async () => {
  using home = openTestHome()
  await using server = await openNgircd()
  await using ann = await openIrcPerson(server.port, 'ann', ['#room'])
  home.write('config.yaml', 'plugins: { entries: { platform-irc: { isolation: process } } }')
  home.write('.env', `IRC_SERVER=127.0.0.1\nIRC_PORT=${server.port}\nIRC_USE_TLS=false\nIRC_CHANNEL='#room'\nIRC_ALLOWED_USERS=ann\n`)
  const gateway = startAgent(home, ['gateway', 'run'], { environment: { AGENT_INFERENCE_PROVIDER: 'offline' }, timeoutMs: 50_000 })
  try {
    for (const joins of [1, 2]) {
      await expect.poll(() => ann.joins('agent'), bounded).toBe(joins)
      ann.say('#room', `agent: stream ${joins + 1} tokens`)
      await expect.poll(() => ann.text('agent', '#room'), bounded).toContain(`offline-${joins + 1}`)
      const pid = await findChild()
      expect(pid).toBeGreaterThan(0)
      if (joins === 1) process.kill(pid, 'SIGKILL')
    }
  } finally {
    gateway.child.kill('SIGTERM')
    await gateway.ended
  }
  expect(await gateway.ended).toMatchObject({ code: 0 })

  async function findChild(): Promise<number> {
    const { out } = await runAgent(home, ['plugins', 'why', 'platform-irc', '--json'])
    const { plugins } = JSON.parse(out) as { plugins: readonly { live?: { child?: { pid: number } } }[] }
    return plugins[0]?.live?.child?.pid ?? 0
  }
})
