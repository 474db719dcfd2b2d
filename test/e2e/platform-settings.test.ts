// @module-tag process
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { addTalk, openTalkGateway } from '../support/gateways/talk-gateway.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

test('what is shown of a platform says where it comes from', async () => {
  using home = openTestHome()
  addTalk(home)
  const key = 'platforms.talk.require_mention'
  const get = async (environment: Record<string, string>) => (await runHere(home, ['config', 'get', key], { environment })).out
  expect(await get({})).toBe('true  (default)\n')
  expect(await get({ TALK_REQUIRE_MENTION: 'off' })).toBe('false  (shadowed by environment: TALK_REQUIRE_MENTION)\n')
  expect(await runHere(home, ['config', 'set', key, 'true'])).toMatchObject({ code: 0 })
  expect(await get({})).toBe('true  (config.yaml)\n')
  home.write('.env', 'TALK_REQUIRE_MENTION=no\n')
  expect(await get({})).toBe('false  (shadowed by environment: TALK_REQUIRE_MENTION in .env)\n')
})

test('a platform that is open to everybody by half is named before it is started', async () => {
  using home = openTestHome()
  addTalk(home)
  expect(await runHere(home, ['config', 'check'])).toMatchObject({ code: 0 })
  const environment = { TALK_DM_POLICY: 'open', TALK_ALLOW_BOTS: 'some' }
  const { code, out } = await runHere(home, ['config', 'check'], { environment })
  expect(code).toBe(1)
  expect(out).toMatch(/error: platforms\.talk\.dm_policy: is open, which needs "\*" in allow_from\. Only talk is blocked by it\./)
  expect(out).toMatch(/warning: TALK_ALLOW_BOTS: must be one of none, mentions, all; it is not used\./)
})

test('a platform that contradicts itself is not started, and the others are', async () => {
  using home = openTestHome()
  addTalk(home)
  home.write('.env', 'TALK_GROUP_POLICY=open\n')
  await using gateway = await openTalkGateway(home, createSystemClock())
  expect([gateway.state(), gateway.connected()]).toEqual(['fatal', 0])
})

proves('config.reply-prefix.values', 'a header stands before every message: the standard one, none, or any text', async () => {
  const answers: string[] = []
  for (const written of [undefined, '""', '"Bot:\\\\n"']) {
    using home = openTestHome()
    addTalk(home, '', { replyPrefix: '[agent] ', ...(written === undefined ? {} : { settings: `reply_prefix: ${written}` }) })
    await using gateway = await openTalkGateway(home, createSystemClock())
    const answer = gateway.answer()
    await gateway.say('1', '/version')
    answers.push(await answer)
  }
  expect(answers).toEqual(['[agent] agent 0.0.0', 'agent 0.0.0', 'Bot:\nagent 0.0.0'])
})

proves('config.reply-prefix.echo', 'in a conversation with oneself the header tells the own messages', async () => {
  using home = openTestHome()
  addTalk(home, '', { replyPrefix: '[agent] ' })
  await using gateway = await openTalkGateway(home, createSystemClock())
  const answer = gateway.answer()
  await gateway.say('1', '[agent] agent 0.0.0')
  await gateway.say('2', '/version')
  expect(await answer).toBe('[agent] agent 0.0.0')
})

proves('session.title.slash-gateway', '/title names the session of a conversation', async () => {
  using home = openTestHome()
  addTalk(home)
  await using gateway = await openTalkGateway(home, createSystemClock())
  const said: string[] = []
  for (const [id, text] of [
    ['1', 'note hello'],
    ['2', '/title Garden plans'],
  ] as const) {
    const answer = gateway.answer()
    await gateway.say(id, text)
    said.push(await answer)
  }
  expect(said.at(-1)).toContain('Garden plans')
  const { out } = await runHere(home, ['sessions', 'list', '--json'])
  expect(JSON.parse(out)).toMatchObject({ sessions: [{ source: 'talk', title: 'Garden plans' }] })
})

proves('purpose.toolsets', 'sets come with the program, and a platform that names one has the toolsets in it', async () => {
  using home = openTestHome()
  addTalk(home, '', { settings: 'toolsets: [debugging]' })
  await using gateway = await openTalkGateway(home, createSystemClock())
  const ask = async (id: string, text: string): Promise<string> => {
    const answer = gateway.answer()
    await gateway.say(id, text)
    return await answer
  }
  expect(await ask('1', 'write plants.txt: water them')).toMatch(/^(?!.*would use).*plants\.txt/s)
  expect(await ask('2', 'plan water the plants')).toMatch(/would use .*todo/)
})

proves('purpose.toolsets', 'a platform has its own toolsets, and a set may be made of others', async () => {
  using home = openTestHome()
  addTalk(home, 'toolsets: { desk: [papers], papers: [files, desk] }', { settings: 'toolsets: [desk]' })
  await using gateway = await openTalkGateway(home, createSystemClock())
  const ask = async (id: string, text: string): Promise<string> => {
    const answer = gateway.answer()
    await gateway.say(id, text)
    return await answer
  }
  expect(await ask('1', 'write plants.txt: water them')).toMatch(/^(?!.*would use).*plants\.txt/s)
  expect(await ask('2', 'run echo made > made.txt')).toMatch(/would use .*terminal/)
  const { out } = await runHere(home, ['chat', '-z', 'run echo here', '--provider', 'offline'])
  expect(out).toContain('here')
})
