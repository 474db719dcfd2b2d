import { afterEach, expect, test } from 'vitest'
import { ann, bot, direct, general } from '../test/discord-world.ts'
import { call, createBench, createMessage } from '../test/rig.ts'

const bench = createBench()
afterEach(() => bench.close())

async function start() {
  const server = await bench.openServer()
  const rig = bench.openRig(server)
  const connection = await rig.connect()
  await connection.send?.(createMessage('May I?', { buttons: [{ id: 'ask:1', label: 'Deny' }] }), call)
  const [message] = server.world.messages
  const press = (id: string): void =>
    server.interact({
      id,
      type: 3,
      channel_id: general,
      guild_id: '700',
      member: { user: ann, roles: ['750'] },
      data: { custom_id: 'ask:1' },
      message: { id: message?.id, content: message?.content },
    })
  const answers = () => server.world.answers
  return { server, rig, message, press, answers }
}

test('a pressed button is acknowledged at once, and the question shows its answer', async () => {
  const { rig, message, press, answers } = await start()
  rig.host.answerPress({ status: 'taken', text: 'Denied by ann.' })
  press('1')
  await expect.poll(() => message?.content).toBe('May I?\n\nDenied by ann.')
  expect(message?.components).toEqual([])
  expect(answers()).toMatchObject([
    { path: 'POST /interactions/1/interaction-token/callback', body: { type: 6 } },
    { path: 'PATCH /webhooks/901/interaction-token/messages/@original' },
  ])
  expect(rig.host.pressed).toEqual([
    {
      account: bot.id,
      conversation: { id: general, kind: 'channel', name: '#general' },
      sender: { id: ann.id, name: 'ann', aliases: ['ann'], roles: ['750'], isBot: false },
      button: 'ask:1',
    },
  ])
})

test.each([
  ['refused', 1],
  ['late', 0],
] as const)('a press that is %s is answered to nobody else', async (status, left) => {
  const { rig, message, press, answers } = await start()
  rig.host.answerPress({ status, text: 'Not now.' })
  press('1')
  const path = 'POST /webhooks/901/interaction-token'
  await expect.poll(() => answers().find((one) => one.path === path)?.body).toMatchObject({ content: 'Not now.', flags: 64 })
  expect(message?.content).toBe('May I?')
  expect(message?.components).toHaveLength(left)
})

test('a command of the menu is acknowledged at once and handed in', async () => {
  const { server, rig, answers } = await start()
  rig.host.answerReceive({ status: 'busy', retryAfterMs: 1 })
  server.interact({ id: '5', type: 2, channel_id: direct, user: ann, data: { name: 'model', options: [{ name: 'args', value: 'x' }] } })
  await expect.poll(() => rig.clock.sleeping() > 0 && rig.texts()).toEqual(['/model x'])
  await rig.clock.advance(1)
  await expect.poll(rig.texts).toEqual(['/model x', '/model x'])
  expect(answers()).toMatchObject([{ body: { type: 4, data: { content: '/model is on its way.', flags: 64 } } }])
})

test('an answer that Discord does not take loses no command, and a strange interaction nothing else', async () => {
  const { server, rig } = await start()
  server.refuseNext('POST', /callback$/, 404, { message: 'Unknown interaction', code: 10_062 })
  server.interact({ id: '6', type: 2, channel_id: direct, user: ann, data: { name: 'new' } })
  server.interact({ id: '7', type: 4, channel_id: direct, user: ann, data: { name: 'new' } })
  server.interact({ id: '8', type: 3, channel_id: direct, data: { custom_id: 'x' } })
  server.interact({ id: 9 })
  server.say('hello')
  await expect.poll(rig.texts).toEqual(['/new', 'hello'])
  expect(rig.host.lines.some((line) => line.includes('Unknown interaction'))).toBe(true)
  expect(rig.host.pressed).toEqual([])
})
