import { expect, test } from 'vitest'
import { ann, bot, room } from '../test/bot-chats.ts'
import { call, createMessage, openRig, type Rig } from '../test/rig.ts'
import telegram from './connection.ts'

const polls = ({ telegram: { calls } }: Rig): number => calls().filter((method) => method === 'getUpdates').length

test('before the first start nothing was said to this agent; afterwards nothing is lost', async () => {
  await using first = await openRig()
  first.telegram.say('long ago')
  const connection = await first.connect()
  first.telegram.say('one')
  await expect.poll(first.texts).toEqual(['one'])
  await expect.poll(() => first.telegram.queue.waiting()).toEqual([])
  await connection.close(call)
  first.telegram.say('while it was away')
  await using second = await openRig({ telegram: first.telegram, state: first.state })
  await second.connect()
  await expect.poll(second.texts).toEqual(['while it was away'])
})

test('what was not acknowledged comes again under its id', async () => {
  await using first = await openRig()
  first.host.answerReceive({ status: 'busy', retryAfterMs: 60_000 })
  const connection = await first.connect()
  first.telegram.say('one')
  await expect.poll(first.texts).toEqual(['one'])
  await connection.close(call)
  await using second = await openRig({ telegram: first.telegram, state: first.state })
  await second.connect()
  await expect.poll(second.texts).toEqual(['one'])
  expect(second.host.received[0]?.id).toBe(first.host.received[0]?.id)
})

test('what waited before the first start can be asked for', async () => {
  await using rig = await openRig({ config: { drop_pending_on_cold_boot: false } })
  rig.telegram.say('long ago')
  await rig.connect()
  await expect.poll(rig.texts).toEqual(['long ago'])
})

test('an update is acknowledged when the host has it, not before', async () => {
  await using rig = await openRig()
  rig.host.answerReceive({ status: 'busy', retryAfterMs: 60_000 })
  await rig.connect()
  rig.telegram.say('one')
  rig.telegram.say('two')
  await expect.poll(rig.texts).toEqual(['one'])
  expect(rig.telegram.queue.waiting()).toHaveLength(2)
  await rig.clock.advance(60_000)
  await expect.poll(rig.texts).toEqual(['one', 'one', 'two'])
  await expect.poll(() => rig.telegram.queue.waiting()).toEqual([])
})

test('updates that say nothing to us are passed over', async () => {
  await using rig = await openRig()
  await rig.connect()
  rig.telegram.queue.push({ message: { message_id: 'none' } })
  rig.telegram.queue.push({ poll: {} })
  rig.telegram.say('one')
  await expect.poll(rig.texts).toEqual(['one'])
  await expect.poll(() => rig.telegram.queue.waiting()).toEqual([])
  expect(rig.host.lost).toEqual([])
})

test('a second program that polls ends the connection with a sentence that says so', async () => {
  await using rig = await openRig()
  await rig.connect()
  await using other = await openRig({ telegram: rig.telegram })
  await other.connect()
  await expect
    .poll(() => rig.host.lost)
    .toMatchObject([{ code: 'PLATFORM_LOST', params: { detail: expect.stringContaining('another program') } }])
  expect(other.host.lost).toEqual([])
})

test('Telegram that does not answer a question in its time is lost; a poll that returns is a sign of life', async () => {
  await using rig = await openRig()
  const connection = await rig.connect()
  const at = await connection.lastHeard(call)
  await expect.poll(() => polls(rig)).toBe(2)
  await rig.clock.advance(25_000)
  rig.telegram.queue.release()
  await expect.poll(() => connection.lastHeard(call)).toBe(at + 25_000)
  await rig.clock.advance(39_000)
  expect(rig.host.lost).toEqual([])
  await rig.clock.advance(2000)
  await expect.poll(() => rig.host.lost).toMatchObject([{ code: 'TIMED_OUT' }])
})

test.each([
  [{ type: 'drop' }, 'PLATFORM_UNREACHABLE'],
  [{ type: 'garbage' }, 'PLATFORM_UNREACHABLE'],
  [{ type: 'status', status: 502, body: '<html>Bad Gateway</html>' }, 'PLATFORM_UNREACHABLE'],
  [{ type: 'cut', bytes: 5 }, 'PLATFORM_UNREACHABLE'],
] as const)('a poll that is answered with %j ends the connection', async (fault, code) => {
  await using rig = await openRig()
  await rig.connect()
  await expect.poll(() => polls(rig)).toBe(2)
  rig.telegram.server.breakNext(fault)
  rig.telegram.say('one')
  await expect.poll(() => polls(rig)).toBe(3)
  rig.telegram.say('two')
  await expect.poll(() => rig.host.lost).toMatchObject([{ code }])
})

test('too many questions are answered with a time to wait', async () => {
  await using rig = await openRig()
  rig.telegram.refuseNext('getUpdates', 429, 'Too Many Requests: retry after 9', 9)
  await expect(rig.connect()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE', retryAfterMs: 9000 })
})

test.each([
  ['42:wrong', 'PLATFORM_AUTH', 'Unauthorized'],
  ['nonsense', 'ENV_INVALID', 'BotFather'],
])('the token %s is refused with %s', async (token, code, words) => {
  await using rig = await openRig({ secrets: { TELEGRAM_BOT_TOKEN: token } })
  const error: unknown = await rig.connect().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code })
  expect(String(error)).toContain(words)
  expect(String(error)).not.toContain(token)
})

test('a server that is not there cannot be reached, and the token is not told', async () => {
  await using rig = await openRig({ config: { base_url: 'http://127.0.0.1:1' } })
  const error: unknown = await rig.connect().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(String(error) + rig.host.lines.join()).not.toContain('right-token')
})

test('connecting ends when it is given up', async () => {
  await using rig = await openRig({ secrets: { TELEGRAM_BOT_TOKEN: '42:silence' } })
  const controller = new AbortController()
  const connecting = telegram.connect(rig.context, { ...call, signal: controller.signal })
  await expect.poll(() => rig.telegram.calls()).toEqual(['getMe'])
  controller.abort()
  await expect(connecting).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(rig.host.lost).toEqual([])
})

test('what was given up before it began asks nothing', async () => {
  await using rig = await openRig()
  await expect(telegram.connect(rig.context, { ...call, signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'PLATFORM_UNREACHABLE',
  })
  expect(rig.telegram.calls()).toEqual([])
})

test('leaving is not being lost, and leaves no message without its receipt', async () => {
  await using rig = await openRig()
  const connection = await rig.connect()
  const sending = connection.send?.(createMessage('last words'), call)
  await connection.close(call)
  await connection.close(call)
  expect(await sending).toMatchObject({ status: 'sent' })
  await expect(connection.send?.(createMessage('later'), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(rig.host.lost).toEqual([])
  expect(rig.clock.sleeping()).toBe(0)
})

test('a mark replaces the one before it, and none is set unless that is wished', async () => {
  await using rig = await openRig({ config: { reactions: true } })
  const connection = await rig.connect()
  const id = `${ann.id}:${rig.telegram.say('mark me')}`
  const target = { id, account: String(bot.id), conversation: String(ann.id) }
  for (const [mood, mark] of [
    ['seen', '👀'],
    ['done', '👍'],
    ['failed', '👎'],
  ] as const) {
    await connection.react?.(target, mood, call)
    expect(rig.telegram.messages.at(-1)?.reactions).toEqual([mark])
  }
  await using quiet = await openRig({ telegram: rig.telegram })
  const other = await quiet.connect()
  await other.react?.(target, 'seen', call)
  expect(rig.telegram.messages.at(-1)?.reactions).toEqual(['👎'])
})

test('writing is shown in the topic in which the answer comes', async () => {
  await using rig = await openRig()
  const connection = await rig.connect()
  await connection.typing?.(`${room.id}/33`, call)
  await connection.typing?.(String(room.id), call)
  await connection.typing?.('nowhere', call)
  expect(rig.telegram.typings).toMatchObject([{ action: 'typing', message_thread_id: 33 }, { action: 'typing' }])
  expect(rig.telegram.typings[1]).not.toHaveProperty('message_thread_id')
})

test('commands are written as Telegram wants them and read back as the agent calls them', async () => {
  await using rig = await openRig({ config: { command_menu: { max_commands: 2 } } })
  const connection = await rig.connect()
  const commands = ['reload-tools', 'help', 'third'].map((name) => ({ name, summary: name === 'help' ? '' : 'x'.repeat(300), args: '' }))
  await connection.setCommands?.(commands, call)
  expect(rig.telegram.menu).toEqual([
    { command: 'reload_tools', description: 'x'.repeat(256) },
    { command: 'help', description: 'help' },
  ])
  rig.telegram.say('/reload_tools now', { entities: [{ type: 'bot_command', offset: 0, length: 13 }] })
  await expect.poll(rig.texts).toEqual(['/reload-tools now'])
})

test('a pressed button is answered, and its question keeps the words of both', async () => {
  await using rig = await openRig()
  const connection = await rig.connect()
  const buttons = [
    { id: 'ask_1:0', label: 'Allow' },
    { id: 'ask_1:1', label: 'Deny' },
  ]
  await connection.send?.(createMessage('May I?', { buttons }), call)
  const question = () => rig.telegram.messages.findLast(({ fromBot }) => fromBot)
  rig.host.answerPress({ status: 'refused', text: `Not you. ${'x'.repeat(300)}` }, { status: 'taken', text: 'Allowed.' })
  rig.telegram.press('Allow')
  await expect.poll(() => rig.telegram.notices).toMatchObject([{ show_alert: true }])
  expect(question()).toMatchObject({ text: 'May I?', keyboard: [{ text: 'Allow' }, { text: 'Deny' }] })
  rig.telegram.press('Allow')
  await expect.poll(() => question()).toMatchObject({ text: 'May I?\n\nAllowed.', keyboard: [] })
  expect(rig.telegram.notices[1]).toMatchObject({ text: 'Allowed.', show_alert: false })
})

test('a late press takes the buttons away, and one that cannot be shown is not handed in again', async () => {
  await using rig = await openRig()
  const connection = await rig.connect()
  await connection.send?.(createMessage('May I?', { buttons: [{ id: 'ask_1:0', label: 'Allow' }] }), call)
  rig.host.answerPress({ status: 'late', text: 'Too late.' })
  rig.telegram.refuseNext('answerCallbackQuery', 400, 'Bad Request: query is too old')
  rig.telegram.press('Allow')
  await expect.poll(() => rig.telegram.messages.findLast(({ fromBot }) => fromBot)).toMatchObject({ text: 'May I?', keyboard: [] })
  expect(rig.host.pressed).toHaveLength(1)
  expect(rig.host.lost).toEqual([])
})
