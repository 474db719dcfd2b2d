// @module-tag process
import { expect, test } from 'vitest'
import { openChat } from '../../plugin-sdk/examples/platform/test/chat.ts'
import { startAgent } from '../support/run-agent.ts'
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
