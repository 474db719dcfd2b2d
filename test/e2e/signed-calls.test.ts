// @module-tag process
import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { openFakeServer } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { readStored } from '../faults/stored.ts'
import { findFreePort } from '../support/free-port.ts'
import { type Crowd, openCrowds } from '../support/gateways/crowds.ts'
import { readPlatformState } from '../support/gateways/platform-state.ts'
import { startAgent } from '../support/run-agent.ts'
import { waitUntil } from '../support/servers/wait-until.ts'
import { openTestHome } from '../support/test-home.ts'

const patienceMs = 30_000

async function pass(gateway: string, { method, url, headers, body }: HttpRequest): Promise<HttpReply> {
  const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers
  const answer = await fetch(`${gateway}${url}`, { method, headers: rest, ...(method === 'GET' ? {} : { body: new Uint8Array(body) }) })
  return { status: answer.status, body: new Uint8Array(await answer.arrayBuffer()) }
}

/** Lets somebody talk on every platform that calls the agent, and gives the calls that were signed. */
async function overhear(crowds: readonly Crowd[], gateway: string, isSettled: () => boolean): Promise<readonly HttpRequest[]> {
  const heard: HttpRequest[] = []
  await using between = await openFakeServer(async (request) => {
    const answer = await pass(gateway, request)
    if (answer.status < 300 && Buffer.from(request.body).includes('tulips')) heard.push(request)
    return answer
  })
  for (const crowd of crowds) {
    crowd.listening?.(between.url)
    crowd.say(0, 'note tulips')
  }
  await waitUntil('everything is answered', patienceMs, isSettled)
  return heard
}

test('a call that was signed once is neither taken twice nor with other words, on every platform that calls', {
  timeout: 3 * patienceMs,
}, async () => {
  using home = openTestHome()
  const all = await openCrowds()
  const crowds = all.filter((crowd) => crowd.listening)
  const platforms = Object.fromEntries(crowds.map(({ platform, config }) => [platform, { enabled: true, extra: config, batch_ms: 0 }]))
  const port = await findFreePort()
  home.write('config.yaml', JSON.stringify({ platforms, gateway: { http: { port } } }))
  const secrets = Object.assign({}, ...crowds.map((crowd) => crowd.secrets ?? {})) as Record<string, string>
  const environment = { AGENT_INFERENCE_PROVIDER: 'offline', GATEWAY_ALLOW_ALL_USERS: 'true', ...secrets }
  const agent = startAgent(home, ['gateway', 'run'], { environment, timeoutMs: 3 * patienceMs })
  const gateway = `http://127.0.0.1:${port}`
  const isAnswered = ({ platform, heard }: Crowd): boolean =>
    heard(0).length === 1 && readStored(home, platform).every(({ state }) => state === 'answered')
  try {
    await waitUntil('all are connected', patienceMs, () =>
      crowds.every(({ platform }) => readPlatformState(home, platform) === 'connected'),
    )
    const calls = await overhear(crowds, gateway, () => crowds.every(isAnswered))
    expect(calls.length).toBe(crowds.length)
    for (const call of calls) {
      const other = Buffer.from(Buffer.from(call.body).toString('latin1').replace('tulips', 'violet'), 'latin1')
      expect((await pass(gateway, { ...call, body: other })).status, call.url).toBeGreaterThanOrEqual(400)
      expect((await pass(gateway, call)).status, call.url).toBeLessThan(300)
    }
    for (const crowd of crowds) {
      expect(readStored(home, crowd.platform).map(({ text }) => text)).toEqual(['note tulips'])
      expect(crowd.heard(0)).toHaveLength(1)
    }
  } finally {
    agent.child.kill('SIGTERM')
    await agent.ended
    for (const crowd of all) await crowd[Symbol.asyncDispose]()
  }
})
