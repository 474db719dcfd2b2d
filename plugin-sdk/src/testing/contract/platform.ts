import { isAgentError } from '../../contract/errors.ts'
import { completeConnection, optionalMethods } from '../../kinds/connection/complete-connection.ts'
import type { TestContext } from '../rig/test-context.ts'
import { capabilityCases } from './platform-capabilities.ts'
import { checkClosed, deliveryCases } from './platform-delivery.ts'
import {
  checkAbort,
  checkEnded,
  checkGone,
  checkLost,
  checkOutage,
  checkRefusal,
  checkRequest,
  checkSettings,
  trouble,
} from './platform-life.ts'
import {
  arrival,
  connect,
  createMessage,
  declaration,
  earliest,
  need,
  type PlatformContractOptions,
  type PlatformRule,
  type PlatformStage,
  type PlatformWorld,
} from './platform-world.ts'
import { type ContractCase, commonRules, onStage } from './stage.ts'

/** The rules of a platform, messaging or request door. */
export function platformContract(options: PlatformContractOptions): readonly ContractCase[] {
  const rule: PlatformRule = (name, title, act) => ({
    rule: name,
    title: `${title} (${options.subject.place})`,
    run: async () => {
      await using world = await options.world()
      return await onStage(options, name, (stage) => act(stage, world))
    },
  })
  const spec = declaration(options)
  const outage: ContractCase = {
    rule: 'outage',
    title: `where nobody answers it is tried again (${options.subject.place})`,
    run: async () => {
      const world = await options.world()
      await world[Symbol.asyncDispose]()
      return await onStage(options, 'outage', (stage) => checkOutage(stage, world))
    },
  }
  const ofDoor =
    spec.door === 'messaging'
      ? [
          rule('inbound', 'what is said arrives with who, where and what', checkInbound),
          rule('words', 'a text arrives as it was said', checkWords),
          rule('ids', 'no two messages have one id, also over a reconnect', checkIds),
          rule('busy', 'what the host cannot take is offered again', checkBusy),
          rule('echo', 'its own words do not come back as a message', checkEcho),
          rule('identity', 'the bot knows who it is', checkIdentity),
          ...deliveryCases(rule, spec),
          rule('reception', 'lastHeard is proof of reception', checkReception),
          ...capabilityCases(rule, spec),
        ]
      : [
          rule('request', 'a request runs a turn and gets its answer', checkRequest),
          rule('gone', 'where nobody waits for an answer any more its turn ends', checkGone),
        ]
  return [
    rule('shape', 'the methods are exactly those of the declared capabilities', checkShape),
    rule('undeclared', 'what is not declared is answered as unsupported', checkUndeclared),
    ...ofDoor,
    rule('closed', 'a connection that is closed is not told as lost', checkClosed),
    rule('errors', 'a refused connection has a code that ends the attempts', checkRefusal),
    rule('settings', 'a variable that is missing or wrong has a code that ends the attempts', checkSettings),
    rule('abort', 'connecting can be given up', checkAbort),
    // What is called by its service keeps no connection open.
    ...(spec.reception === 'on-demand' ? [] : [rule('lost', 'a broken connection is told, and another takes its place', checkLost)]),
    ...(spec.reception === 'on-demand' ? [] : [outage, rule('ended', 'ended without a close it leaves nothing behind', checkEnded)]),
    ...commonRules(options, exercise, trouble),
  ]
}

async function exercise(stage: PlatformStage, host: TestContext, world: PlatformWorld): Promise<void> {
  const connection = await connect(stage, host)
  await connection.lastHeard(stage.call())
  if (world.receiveOne) {
    const before = host.received.length
    await world.receiveOne('hello')
    await stage.until(() => host.received.length > before, 'a message did not arrive')
  }
  if (world.sent) await connection.send?.(createMessage(world, 'an answer'), stage.call())
  await world.request?.('hello', host.urls.at(-1) ?? '')
  await stage.within(connection.close(stage.call()), 'close')
  await stage.within(connection.close(stage.call()), 'a second close')
}

async function checkShape(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const { capabilities, door } = declaration(stage)
  const connection = await connect(stage, stage.host(world))
  for (const name of optionalMethods) {
    const has = typeof connection[name] === 'function'
    stage.expect(has === capabilities[name], has ? `it has ${name}, which is not declared` : `it declares ${name} and has no such method`)
  }
  stage.expect(typeof connection.lastHeard === 'function' && typeof connection.close === 'function', 'it lacks lastHeard or close')
  const messaging = typeof connection.send === 'function' && typeof connection.identity === 'function'
  stage.expect(door === 'request' || messaging, 'a messaging door needs send and identity')
  await connection.close(stage.call())
}

async function checkUndeclared(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const spec = declaration(stage)
  const connection = await connect(stage, stage.host(world))
  const complete = completeConnection(connection, spec)
  for (const name of optionalMethods.filter((one) => !spec.capabilities[one])) {
    const answer = await stage.within(callBlindly(complete[name], stage), name)
    stage.expect(isAgentError(answer, 'UNSUPPORTED'), `${name} is not declared, and was answered ${String(answer)}`)
  }
  await connection.close(stage.call())
}

/** Calls a method that must not do anything; gives what it rejected with. */
async function callBlindly(method: (...args: never[]) => unknown, stage: PlatformStage): Promise<unknown> {
  try {
    const answer = (method as (...args: unknown[]) => unknown)('', '', stage.call())
    if (answer instanceof Promise) return await answer
    for await (const _ of answer as AsyncIterable<unknown>) return 'bytes'
    return 'nothing'
  } catch (error) {
    return error
  }
}

async function checkEcho(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const host = stage.host(world)
  const connection = await connect(stage, host)
  await stage.within(Promise.resolve(connection.send?.(createMessage(world, 'my own words'), stage.call())), 'send')
  await need(stage, world, 'receiveOne').call(world, 'words of somebody')
  await arrival(stage, host, 'words of somebody')
  stage.expect(!host.received.some(({ text }) => text.includes('my own words')), 'the bot hears itself')
  await connection.close(stage.call())
}

async function checkIdentity(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const connection = await connect(stage, stage.host(world))
  const self = await stage.within(Promise.resolve(connection.identity?.(stage.call())), 'identity')
  stage.expect(Boolean(self?.id) && Boolean(self?.name), `the bot is told as ${JSON.stringify(self)}`)
  const again = await stage.within(Promise.resolve(connection.identity?.(stage.call())), 'identity')
  stage.expect(again?.id === self?.id, `the bot is ${self?.id}, and then ${again?.id}`)
  await connection.close(stage.call())
}

const asked = ': what the plugin asks when it connects is to be answered before `connect` resolves'

async function checkReception(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const host = stage.host(world)
  const connection = await connect(stage, host)
  const heard = (): Promise<number> => stage.within(connection.lastHeard(stage.call()), 'lastHeard')
  await world.receiveOne?.('hello')
  await stage.until(() => host.received.length > 0, 'a message did not arrive')
  const before = await heard()
  stage.expect(before > earliest && before <= Date.now(), `lastHeard is ${before}, not milliseconds since 1970`)
  await stage.until(() => Date.now() > before + 5, 'time stands still')
  stage.expect((await heard()) === before, `lastHeard moves although nothing was received${asked}`)
  await world.receiveOne?.('hello again')
  await stage.until(async () => (await heard()) > before, 'lastHeard stands still although something was received')
  await connection.close(stage.call())
}

async function checkInbound(stage: PlatformStage, world: PlatformWorld): Promise<void> {
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

async function checkBusy(stage: PlatformStage, world: PlatformWorld): Promise<void> {
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

async function checkWords(stage: PlatformStage, world: PlatformWorld): Promise<void> {
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
async function checkIds(stage: PlatformStage, world: PlatformWorld): Promise<void> {
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
