// @module-tag process
import { expect, test } from 'vitest'
import { openChat } from '../../plugin-sdk/examples/platform/test/chat.ts'
import { gatewayRuns, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

const token = 'pager-token-0123456789'

test('who is refused by a plugin that is developed is named with where, why and what lets them in', { timeout: 90_000 }, async () => {
  await using chat = await openChat(token)
  using home = openTestHome()
  await runHere(home, ['plugins', 'create', 'platform', 'pager'])
  const develop = (...more: readonly string[]) =>
    startAgent(home, ['plugins', 'dev', 'platform-pager', '--set', `platforms.pager.extra.server=${chat.url}`, ...more], {
      environment: { PAGER_TOKEN: token },
      timeoutMs: 60_000,
    })
  const refused = develop()
  chat.say('let me in', { from: { id: "o'neil", name: 'O', bot: false } })
  chat.say('and me', { from: { id: 'bob', name: 'Bob', bot: false }, room: { id: 'garden', direct: false } })
  try {
    await refused.heard(/Refused on pager: bob in the group garden: nobody has let them in for rooms\./)
  } finally {
    refused.child.kill('SIGINT')
  }
  const { out, code } = await refused.ended
  const [, setting = ''] = /^Refused on pager: o'neil in the direct message room-1: .*\n.*--set '(.*)'$/m.exec(out) ?? []
  expect({ code, setting }).toEqual({ code: 0, setting: String.raw`platforms.pager.allow_from=["o'\''neil"]` })

  const admitted = develop('--set', setting.replaceAll(String.raw`'\''`, "'"))
  chat.say('let me in', { from: { id: "o'neil", name: 'O', bot: false } })
  try {
    await admitted.heard(/Refused on pager: bob/)
    await expect.poll(() => chat.heard, { timeout: 20_000 }).not.toEqual([])
  } finally {
    admitted.child.kill('SIGINT')
  }
  expect((await admitted.ended).out).not.toContain("Refused on pager: o'neil")
})

test('a connection that breaks while a plugin is developed is told, and that it is back', { timeout: 60_000 }, async () => {
  await using chat = await openChat(token)
  using home = openTestHome()
  await runHere(home, ['plugins', 'create', 'platform', 'pager'])
  const developed = startAgent(home, ['plugins', 'dev', 'platform-pager', '--set', `platforms.pager.extra.server=${chat.url}`], {
    environment: { PAGER_TOKEN: token },
    timeoutMs: 50_000,
  })
  try {
    await developed.heard(/^ {2}pager: connected$/m)
    chat.hangUp()
    // What the check beside it says may stand between the two.
    await developed.heard(/^pager: retrying: .*pager.*\n(?:.*\n)*pager: connected$/m)
  } finally {
    developed.child.kill('SIGINT')
    await developed.ended
  }
})

test.each([
  ['in a child', []],
  ['in the process of the gateway', ['--set', 'plugins.entries.platform-pager.isolation=inproc']],
])('what a plugin sends is told with --traffic only, without what is secret: %s', { timeout: 90_000 }, async (_name, place) => {
  await using chat = await openChat(token)
  using home = openTestHome()
  await runHere(home, ['plugins', 'create', 'platform', 'pager'])
  const develop = (...more: readonly string[]) =>
    startAgent(home, ['plugins', 'dev', 'platform-pager', '--set', `platforms.pager.extra.server=${chat.url}`, ...place, ...more], {
      environment: { PAGER_TOKEN: token, GATEWAY_ALLOWED_USERS: 'ann' },
      timeoutMs: 60_000,
    })
  const { host } = new URL(chat.url)
  const loud = develop('--traffic')
  chat.say('hello')
  try {
    await loud.heard(new RegExp(`^Traffic: GET ${host}/messages: 200 after \\d+ ms$`, 'm'))
    await loud.heard(new RegExp(`^Traffic: POST ${host}/messages: 200 after \\d+ ms$`, 'm'))
  } finally {
    loud.child.kill('SIGINT')
  }
  const { out, note } = await loud.ended
  for (const hidden of [token, 'after=', 'hello']) expect(out + note).not.toContain(hidden)

  const quiet = develop()
  const answered = chat.heard.length
  chat.say('hello')
  try {
    await expect.poll(() => chat.heard.length, { timeout: 40_000 }).toBeGreaterThan(answered)
  } finally {
    quiet.child.kill('SIGINT')
  }
  expect((await quiet.ended).out).not.toContain('Traffic')
})

test('a gateway that runs and keeps no traffic in its log says what would', { timeout: 60_000 }, async () => {
  using home = openTestHome()
  await runHere(home, ['plugins', 'create', 'toolset', 'dice'])
  const gateway = startAgent(home, ['gateway', 'run'], { timeoutMs: 50_000 })
  try {
    await gateway.heard(gatewayRuns)
    const { code, note } = await runHere(home, ['plugins', 'dev', 'toolset-dice', '--traffic'])
    expect({ code, note }).toEqual({ code: 2, note: expect.stringContaining('agent config set logging.level debug') })
  } finally {
    gateway.child.kill('SIGTERM')
    await gateway.ended
  }
})
