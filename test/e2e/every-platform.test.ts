// @module-tag process
import { expect, test } from 'vitest'
import { readStored } from '../faults/stored.ts'
import { proves } from '../spec/proves.ts'
import { findFreePort } from '../support/free-port.ts'
import { type Crowd, openCrowds } from '../support/gateways/crowds.ts'
import { readPlatformState } from '../support/gateways/platform-state.ts'
import { startAgent } from '../support/run-agent.ts'
import { waitUntil } from '../support/servers/wait-until.ts'
import { openTestHome } from '../support/test-home.ts'

const patienceMs = 60_000

interface Heard {
  readonly crowd: Crowd
  readonly heard: readonly string[]
}

/** What somebody has read on each platform, once everything they said is settled. */
async function askEverywhere(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<readonly Heard[]> {
  using home = openTestHome()
  const crowds = await openCrowds()
  const port = await findFreePort()
  const platforms = Object.fromEntries(
    crowds.map(({ platform, config }) => [platform, { enabled: true, extra: config, batch_ms: 0, busy_input_mode: 'queue' }]),
  )
  home.write('config.yaml', JSON.stringify({ platforms, gateway: { http: { port } } }))
  const secrets = Object.assign({}, ...crowds.map((crowd) => crowd.secrets ?? {})) as Record<string, string>
  const agent = startAgent(home, ['gateway', 'run'], {
    environment: { AGENT_INFERENCE_PROVIDER: 'offline', ...secrets, ...environment },
    timeoutMs: patienceMs,
  })
  for (const crowd of crowds) crowd.listening?.(`http://127.0.0.1:${port}`)
  try {
    const missing = (): readonly string[] =>
      crowds.flatMap(({ platform }) => (readPlatformState(home, platform) === 'connected' ? [] : `${platform} is connected`))
    await waitUntil(missing, patienceMs, () => crowds.every(({ platform }) => readPlatformState(home, platform) === 'connected'))
    for (const crowd of crowds) for (const text of words) crowd.say(0, text)
    const isSettled = (crowd: Crowd): boolean => {
      const stored = readStored(home, crowd.platform)
      const open = stored.some(({ state, parts }) => ['accepted', 'claimed'].includes(state) || parts.some((part) => part.state !== 'sent'))
      return stored.length === words.length && !open
    }
    const unsettled = (): readonly string[] => crowds.filter((crowd) => !isSettled(crowd)).map(({ platform }) => `${platform} is settled`)
    await waitUntil(unsettled, patienceMs, () => crowds.every(isSettled))
    return crowds.map((crowd) => ({ crowd, heard: crowd.heard(0) }))
  } finally {
    agent.child.kill('SIGTERM')
    await agent.ended
    for (const crowd of crowds) await crowd[Symbol.asyncDispose]()
  }
}

test('an unknown sender gets nothing but the pairing rule, on every platform', { timeout: 2 * patienceMs }, async () => {
  const answers = await askEverywhere(['run cat /etc/passwd', '/help', 'write a.txt: hi'])
  // A platform that checks its source by itself has no strangers.
  for (const { crowd, heard } of answers.filter((one) => one.crowd.spec.gate === 'sender')) {
    const said =
      crowd.spec.unknownSenders === 'pair' ? [expect.stringMatching(/^(\S+ )?I do not know you yet: .*pairing approve .* [A-Z2-9]{8}/)] : []
    expect(heard, crowd.platform).toEqual(said)
  }
})

const told = 'who is let in has a conversation, on every platform; a long answer comes whole, whatever it is cut into'
proves(
  'purpose.messaging',
  told,
  async () => {
    const answers = await askEverywhere(['note one', 'stream 1200 tokens every 1 ms', 'note three'], {
      GATEWAY_ALLOW_ALL_USERS: 'true',
    })
    for (const { crowd, heard } of answers) {
      expect(heard[0], crowd.platform).toContain('note one')
      expect(heard.at(-1), crowd.platform).toContain('note three')
      const tokens = heard.slice(1, -1).join(' ').match(/\S+/g) ?? []
      expect(tokens.length, crowd.platform).toBeGreaterThanOrEqual(1200)
      expect(heard.join(''), crowd.platform).not.toContain('▉')
    }
  },
  2 * patienceMs,
)
