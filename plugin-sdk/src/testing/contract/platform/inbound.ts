import type { TestContext } from '../../rig/test-context.ts'
import { arrival, connect, earliest, need } from '../platform-stage.ts'
import type { PlatformStage, PlatformWorld } from '../platform-world.ts'

export async function checkInbound(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const host = stage.host(world)
  const connection = await connect(stage, host)
  for (const text of ['first words', 'second words', 'Grüße 你好 😀']) {
    await world.receiveOne?.(text)
    await stage.until(() => host.received.some((one) => one.text === text), `"${text}" did not arrive`)
  }
  for (const { id, account, conversation, sender, addressed } of host.received) {
    stage.expect(typeof id === 'string' && id !== '', 'a message has no id')
    stage.expect(typeof account === 'string' && account !== '', 'a message names no account')
    stage.expect(
      ['dm', 'group', 'channel', 'thread'].includes(conversation?.kind) && conversation.id !== '',
      'a message names no conversation',
    )
    stage.expect(typeof sender?.id === 'string' && typeof sender.isBot === 'boolean', 'a message names no sender')
    stage.expect(typeof addressed === 'boolean', 'a message does not say whether the bot was addressed')
  }
  checkFacts(stage, world, host)
  checkTwins(stage, host)
  await checkRedelivery(stage, world, host)
  await checkGroup(stage, world, host)
  checkPeople(stage, world, host)
  await connection.close(stage.call())
}

function checkTwins(stage: PlatformStage, { received }: TestContext): void {
  const twins = findTwins(received)
  stage.expect(twins === undefined, `two messages have the same id ${twins}`)
}

/** Two different messages as one are lost by the host, and one that is handed in twice was not acknowledged. */
function findTwins(received: TestContext['received']): string | undefined {
  const texts = new Map<string, string>()
  for (const { id, text } of received) {
    const before = texts.get(id)
    if (before !== undefined) return before === text ? `${id}: "${text}" is handed in twice` : `${id}: "${before}" and "${text}"`
    texts.set(id, text)
  }
  return undefined
}

/** What the world knows of the messages that a person has said to the bot. */
function checkFacts(stage: PlatformStage, world: PlatformWorld, host: TestContext): void {
  checkPeople(stage, world, host)
  const { received } = host
  for (const { addressed, conversation } of received) {
    stage.expect(addressed || conversation.kind === 'dm', 'what is said to the bot is not told as said to it')
  }
  const places = new Set(received.map(({ sender, conversation }) => JSON.stringify([sender.id, conversation.kind])))
  stage.expect(places.size === 1, `the same person in the same place is told as ${[...places].join(' and ')}`)
}

/** What holds for everything that people say. */
function checkPeople(stage: PlatformStage, world: PlatformWorld, { received }: TestContext): void {
  for (const { account, sender, sentAt } of received) {
    stage.expect(world.account === undefined || account === world.account, `a message to ${world.account} names the account ${account}`)
    stage.expect(!sender.isBot, 'a person is told as a bot')
    stage.expect(
      sentAt === undefined || (sentAt > earliest && sentAt < Date.now() + dayMs),
      `sentAt is ${sentAt}, not milliseconds since 1970`,
    )
  }
}

const dayMs = 86_400_000

async function checkRedelivery(stage: PlatformStage, world: PlatformWorld, host: TestContext): Promise<void> {
  if (!world.redeliver) return
  const before = host.received.length
  await world.redeliver()
  await world.receiveOne?.('after a repetition')
  await arrival(stage, host, 'after a repetition')
  const ids = new Set(host.received.slice(0, before).map(({ id }) => id))
  const again = host.received.slice(before).filter(({ text }) => text !== 'after a repetition')
  stage.expect(
    again.every(({ id }) => ids.has(id)),
    'a message that is offered again has another id',
  )
}

async function checkGroup(stage: PlatformStage, world: PlatformWorld, host: TestContext): Promise<void> {
  if (!world.receiveInGroup) return
  await world.receiveInGroup('to the bot', true)
  const called = await arrival(stage, host, 'to the bot')
  stage.expect(called.addressed && called.conversation.kind !== 'dm', 'a message to the bot in a group is not told as one')
  stage.expect(called.sender.id !== called.conversation.id, 'a message in a group says where it was said, and not who said it')
  await world.receiveInGroup('among ourselves', false)
  await world.receiveInGroup('bot again', true)
  await arrival(stage, host, 'bot again')
  const passed = host.received.find(({ text }) => text.includes('among ourselves'))
  stage.expect(passed?.addressed !== true, 'what was said to others is told as said to the bot')
}

export async function checkBusy(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const host = stage.host(world)
  const connection = await connect(stage, host)
  host.answerReceive({ status: 'busy', retryAfterMs: 5 })
  await world.receiveOne?.('come again')
  const arrived = (): readonly string[] => host.received.filter(({ text }) => text === 'come again').map(({ id }) => id)
  await stage.until(() => arrived().length > 1, 'what the host could not take was not offered again')
  stage.expect(new Set(arrived()).size === 1, 'what is offered again has another id')
  await world.receiveOne?.('come in')
  await arrival(stage, host, 'come in')
  stage.expect(arrived().length === 2, 'what the host has taken is offered again')
  await connection.close(stage.call())
}

/** Said to the bot as people do: longer than a line, with signs that mean something on the way, and as a command. */
const sayings = ['/status of it', 'salt & pepper, 1 < 2, "so"', `a long story ${'of boats and harbours '.repeat(14)}and its end`]

export async function checkWords(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const host = stage.host(world)
  const connection = await connect(stage, host)
  for (const [index, text] of sayings.entries()) {
    await need(stage, world, 'receiveOne').call(world, text)
    await stage.until(() => host.received.length > index, `"${text}" did not arrive`)
    const heard = host.received[index]?.text
    // Some hand it in within a sentence of the owner's.
    stage.expect(heard?.includes(text) === true, `"${text}" is told as ${JSON.stringify(heard)}`)
  }
  await connection.close(stage.call())
}

/** The host knows by the id what it has heard before, also on an earlier connection. */
export async function checkIds(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const say = need(stage, world, 'receiveOne').bind(world)
  const host = stage.host(world)
  const ids = (): ReadonlySet<string> => new Set(host.received.map(({ id }) => id))
  const first = await connect(stage, host)
  for (let time = 1; time <= 2; time += 1) {
    await say('the same words')
    await stage.until(() => ids().size >= time, 'what a person says twice is told as one message')
  }
  await stage.within(first.close(stage.call()), 'close')
  const before = ids()
  const next = await connect(stage, host)
  for (const text of ['after a reconnect', 'and more of it']) {
    await say(text)
    const { id } = await arrival(stage, host, text)
    stage.expect(!before.has(id), `a message after a reconnect has the id ${id}, which one before it had`)
  }
  // What came while it connected may be told again; the host knows it by its id.
  const last = host.received.filter(({ text }) => text.includes('and more of it'))
  stage.expect(last.length === 1, 'a message after a reconnect is handed in twice: the connection before was not ended')
  stage.expect(
    host.received.every(({ id, text }) => text !== 'the same words' || before.has(id)),
    'what was said before a reconnect is told again with another id',
  )
  await stage.within(next.close(stage.call()), 'close')
}
