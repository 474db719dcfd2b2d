import { expect, test } from 'vitest'
import { waitUntil } from '../faults/gateway-process.ts'
import { readStored } from '../faults/stored.ts'
import { type Crowd, openCrowds } from '../support/crowds.ts'
import { startAgent } from '../support/run-agent.ts'
import { openTestHome } from '../support/test-home.ts'

const patienceMs = 60_000

/** What strangers have read on each platform, once everything they said is settled. */
async function askAsStrangers(words: readonly string[]): Promise<readonly { readonly crowd: Crowd; readonly heard: readonly string[] }[]> {
  using home = openTestHome()
  const crowds = await openCrowds()
  const platforms = Object.fromEntries(crowds.map(({ platform, config }) => [platform, { enabled: true, extra: config, batch_ms: 0 }]))
  home.write('config.yaml', JSON.stringify({ platforms, gateway: { http: { port: 0 } } }))
  const secrets = Object.assign({}, ...crowds.map((crowd) => crowd.secrets ?? {})) as Record<string, string>
  const agent = startAgent(home, ['gateway', 'run'], {
    environment: { AGENT_INFERENCE_PROVIDER: 'offline', ...secrets },
    timeoutMs: patienceMs,
  })
  try {
    await waitUntil('all are connected', patienceMs, () => crowds.every((crowd) => crowd.connections() > 0))
    for (const crowd of crowds) for (const text of words) crowd.say(0, text)
    const isSettled = (crowd: Crowd): boolean => {
      const stored = readStored(home, crowd.platform)
      const open = stored.some(({ state, parts }) => state !== 'dropped' || parts.some((part) => part.state !== 'sent'))
      return stored.length === words.length && !open
    }
    await waitUntil('everything is settled', patienceMs, () => crowds.every(isSettled))
    return crowds.map((crowd) => ({ crowd, heard: crowd.heard(0) }))
  } finally {
    agent.child.kill('SIGTERM')
    await agent.ended
    for (const crowd of crowds) await crowd[Symbol.asyncDispose]()
  }
}

test('an unknown sender gets nothing but the pairing rule, on every platform', { timeout: 2 * patienceMs }, async () => {
  const answers = await askAsStrangers(['run cat /etc/passwd', '/help', 'write a.txt: hi'])
  for (const { crowd, heard } of answers) {
    const isOffered = crowd.spec.unknownSenders === 'pair' && crowd.spec.gate === 'sender'
    const said = isOffered ? [expect.stringMatching(/^I do not know you yet: .*pairing approve .* [A-Z2-9]{8}/)] : []
    expect(heard, crowd.platform).toEqual(said)
  }
})
