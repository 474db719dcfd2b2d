// @module-tag process
import { expect, test } from 'vitest'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { addPostOffice, postOfficeOn } from '../support/gateways/post-office.ts'
import { gatewayRuns, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

test('/model at the terminal does what agent model does: this chat and the running gateway go on with the other model', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ models: ['mine', 'gold'], answers: [{ text: 'Here is mine.' }] })
  home.write('config.yaml', 'model: { provider: offline }\nprices: [{ provider: custom, model: gold, input: 25, output: 100 }]\n')
  const environment = { CUSTOM_BASE_URL: server.url }
  const gateway = startAgent(home, ['gateway', 'run'], { environment, timeoutMs: 60_000 })
  try {
    const [, door = ''] = /^agent listens at (\S+)\n/.exec(await gateway.heard(gatewayRuns)) ?? []
    const input = ['/model', '/model nowhere', '/model custom mine --url x', '/model custom gold', '/model custom mine', 'hello', ''].join(
      '\n',
    )
    const { out, note } = await runHere(home, ['chat', '--cli', '-m', 'offline'], { environment, input })
    expect(out).toContain('offline answers with offline.\n')
    expect(out).toContain('openai: available, needs OPENAI_API_KEY\n')
    expect(note).toContain('nowhere')
    expect(out).toContain('An address is given in a shell')
    expect(out).toMatch(
      /custom\/gold is dear: a million tokens cost \$25 in and \$100 out\.\n.*\/model custom gold --yes takes it all the same\./,
    )
    expect(server.requests.some(({ body }) => body.model === 'gold')).toBe(false)
    expect(out).toMatch(
      /custom answers from now on with mine\.\nThe way back: \/model offline offline\nThe running gateway uses it from the next turn on\.\nHere is mine\.\n$/,
    )
    expect(home.read('config.yaml')).toContain('provider: custom')
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] })
    const answer = await fetch(`${door}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    expect(await answer.text()).toContain('Here is mine.')
    const { out: told } = await runHere(home, ['config', 'set', 'model.default', 'other'], { environment })
    expect(told).toMatch(/^model\.default is set in \S+\.\nThe running gateway uses it from the next turn on\.\n$/)
    await fetch(`${door}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    expect(server.requests.at(-1)?.body).toMatchObject({ model: 'other' })
  } finally {
    gateway.child.kill('SIGTERM')
    await gateway.ended
  }
})

test('/model on a platform says and does the same', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ models: ['mine'], answers: [{ text: 'Here is mine.' }] })
  const office = addPostOffice(home)
  home.write('config.yaml', `${postOfficeOn}model: { provider: offline }\n`)
  office.know([{ id: 'desk', kind: 'dm', text: '/model custom mine' }])
  const environment = { CUSTOM_BASE_URL: server.url, POST_TOKEN: 'right', POST_ALLOWED_USERS: 'ann', POST_ALLOW_ADMIN_FROM: 'ann' }
  const gateway = startAgent(home, ['gateway', 'run'], { environment, timeoutMs: 60_000 })
  try {
    await gateway.heard(gatewayRuns)
    const said = () =>
      office
        .posted()
        .map(({ text }) => text)
        .join('\n')
    await expect.poll(said, { timeout: 15_000 }).toContain('The running gateway uses it from the next turn on.')
    expect(said()).toMatch(/^custom answers from now on with mine\.\nThe way back: \/model offline offline\n/)
    expect(home.read('config.yaml')).toContain('provider: custom')
  } finally {
    gateway.child.kill('SIGTERM')
    await gateway.ended
  }
})

test('a platform that waits for a model is connected once one is chosen', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ models: ['mine'], answers: [{ text: 'Here is mine.' }] })
  addPostOffice(home)
  home.write('config.yaml', postOfficeOn)
  home.write('.env', 'POST_TOKEN=right\n')
  const gateway = startAgent(home, ['gateway', 'run'], { timeoutMs: 60_000 })
  try {
    await gateway.heard(/post: fatal \(OFFLINE_MODEL\)/)
    const { out } = await runHere(home, ['model', 'custom', 'mine', '--url', server.url])
    expect(out).toContain('custom answers from now on with mine.\n')
    expect(out).toContain('The running gateway has connected post again.\n')
    expect(JSON.parse((await runHere(home, ['gateway', 'status', '--json'])).out).platforms).toContainEqual(
      expect.objectContaining({ platform: 'post', state: 'connected' }),
    )
  } finally {
    gateway.child.kill('SIGTERM')
    await gateway.ended
  }
})

test('who names a provider without a model hears which it has, and what else it needs', async () => {
  using home = openTestHome()
  await using server = await startFakeOpenai({ models: ['mine', 'other'] })
  const named = (...words: readonly string[]) => runHere(home, ['model', 'custom', ...words])
  expect(await named()).toMatchObject({
    code: 1,
    note: expect.stringMatching(/Name one: agent model custom <model>\n[\s\S]*its address: .*--url https/),
  })
  expect(await named('--url', server.url)).toMatchObject({ code: 1, note: expect.stringMatching(/It has mine, other\.\n$/) })
})
