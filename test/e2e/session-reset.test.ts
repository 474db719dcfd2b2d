import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock, ManifestInput, Platform, PlatformContext } from '@agent/plugin-sdk'
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { expect } from 'vitest'
import { openAgent } from '../../host/src/agent/open-agent.ts'
import { openGateway } from '../../host/src/gateway/gateway.ts'
import { proves } from '../spec/proves.ts'
import { runAgent } from '../support/run-agent.ts'
import { importSourceEntry } from '../support/source-entry.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const installRoot = fileURLToPath(new URL('../..', import.meta.url))
const hours = 3_600_000

function addTalk(home: TestHome, sessionReset: string): void {
  const manifest: ManifestInput = {
    ...{ manifestVersion: 1, id: 'platform-talk', name: 'Talk', description: 'made up', version: '1.0.0', license: 'MIT' },
    api: { platform: 1 },
    contributes: {
      platforms: [
        {
          ...{ id: 'talk', entry: 'dist/platform.js', label: 'Talk', door: 'messaging', reach: 'owner', onByDefault: true },
          ...{ capabilities: {}, limits: {} },
        },
      ],
    },
  }
  const folder = join(home.home, 'plugins', 'local', 'platform-talk')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  const lines = ['plugins: { entries: { platform-talk: { enabled: true } } }', 'platforms: { talk: { allow_from: [ann] } }', sessionReset]
  home.write('config.yaml', `${lines.join('\n')}\n`)
}

/** A gateway at this time of the wall clock hears one message, answers it and closes. */
async function sayAt(home: TestHome, now: number, id: string): Promise<void> {
  const clock: Clock = { ...createSystemClock(), now: () => now }
  let answer: (text: string) => void = () => undefined
  const answered = new Promise<string>((resolve) => {
    answer = resolve
  })
  const talk: Platform = {
    connect: async (context) => {
      void speak(context, id)
      return {
        send: async ({ text }) => {
          answer(text)
          return { status: 'sent', platformId: id }
        },
        lastHeard: async () => now,
        close: async () => undefined,
      }
    },
  }
  const agent = await openAgent({
    installRoot,
    environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' },
    profile: undefined,
    logName: 'gateway',
    note: () => undefined,
    clock,
    importEntry: async (contribution) => (contribution.id === 'talk' ? { default: talk } : importSourceEntry(contribution)),
  })
  const { catalog, store } = agent
  const services = { sessions: store.sessions, catalog, version: '0.0.0', enablePlugin: async () => undefined }
  const gateway = await openGateway({ ...agent, services, offlineByDefault: false, random: () => 0 })
  try {
    expect(await answered).toContain('offline-1')
  } finally {
    await gateway.close()
    await agent.close()
  }
}

const speak = (context: PlatformContext, id: string): Promise<unknown> =>
  context.receive({
    ...{ id, account: 'bot', conversation: { id: 'ann', kind: 'dm' }, sender: { id: 'ann', isBot: false }, addressed: true },
    text: 'stream 1 tokens',
  })

async function countSessions(home: TestHome): Promise<number> {
  return JSON.parse((await runAgent(home, ['sessions', 'list', '--json'])).out).sessions.length
}

/** Midnight by the machine's clock on the wall. */
const midnight = new Date(2026, 2, 11).getTime()

proves('config.session-reset.null', 'a reset policy of nulls is the default one: a conversation begins anew at four', async () => {
  using home = openTestHome()
  addTalk(home, 'session_reset: { mode: null, at_hour: null, idle_minutes: null }')
  for (const [index, hour] of [-1, 0.5, 3.9].entries()) await sayAt(home, midnight + hour * hours, `${index}`)
  expect(await countSessions(home)).toBe(1)
  await sayAt(home, midnight + 4.1 * hours, 'after four')
  expect(await countSessions(home)).toBe(2)
})

proves('config.session-reset.zero', 'at_hour: 0 is midnight', async () => {
  using home = openTestHome()
  addTalk(home, 'session_reset: { at_hour: 0 }')
  for (const [index, hour] of [-1, -0.1].entries()) await sayAt(home, midnight + hour * hours, `${index}`)
  expect(await countSessions(home)).toBe(1)
  await sayAt(home, midnight + 0.1 * hours, 'after midnight')
  expect(await countSessions(home)).toBe(2)
  await sayAt(home, midnight + 4.1 * hours, 'after four')
  expect(await countSessions(home)).toBe(2)
})
