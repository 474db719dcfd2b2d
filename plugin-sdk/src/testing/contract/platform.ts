import { finalCodes, isAgentError, toWireError } from '../../contract/errors.ts'
import { completeConnection, optionalMethods } from '../../kinds/connection/complete-connection.ts'
import { greeting, type TestContext } from '../rig/test-context.ts'
import { findErrorProblem } from './errors/error-problem.ts'
import { capabilityCases } from './platform-capabilities.ts'
import { deliveryCases } from './platform-delivery.ts'
import { arrival, connect, createMessage, declaration, need } from './platform-stage.ts'
import type { PlatformContractOptions, PlatformRule, PlatformStage, PlatformWorld } from './platform-world.ts'
import { type ContractCase, commonRules, findLeak, onStage, type SetUp } from './stage.ts'

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
  const ofDoor =
    spec.door === 'messaging'
      ? [
          rule('inbound', 'what is said arrives with who, where and what', checkInbound),
          rule('busy', 'what the host cannot take is offered again', checkBusy),
          rule('echo', 'its own words do not come back as a message', checkEcho),
          rule('identity', 'the bot knows who it is', checkIdentity),
          ...deliveryCases(rule, spec),
          rule('reception', 'lastHeard is proof of reception', checkReception),
          ...capabilityCases(rule, spec),
        ]
      : [rule('request', 'a request runs a turn and gets its answer', checkRequest)]
  return [
    rule('shape', 'the methods are exactly those of the declared capabilities', checkShape),
    rule('undeclared', 'what is not declared is answered as unsupported', checkUndeclared),
    ...ofDoor,
    rule('errors', 'a refused connection has a code that ends the attempts', checkRefusal),
    rule('settings', 'a variable that is missing or wrong has a code that ends the attempts', checkSettings),
    rule('abort', 'connecting can be given up', checkAbort),
    // What is called by its service keeps no connection open.
    ...(spec.reception === 'on-demand' ? [] : [rule('lost', 'a broken connection is told', checkLost)]),
    ...commonRules(options, exercise),
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
  const twins = findTwins(host.received)
  stage.expect(twins === undefined, `two messages have the same id ${twins}`)
  await checkRedelivery(stage, world, host)
  await checkGroup(stage, world, host)
  await connection.close(stage.call())
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
function checkFacts(stage: PlatformStage, world: PlatformWorld, { received }: TestContext): void {
  for (const { account, sender, conversation, addressed, sentAt } of received) {
    stage.expect(world.account === undefined || account === world.account, `a message to ${world.account} names the account ${account}`)
    stage.expect(!sender.isBot, 'a person is told as a bot')
    stage.expect(addressed || conversation.kind === 'dm', 'what is said to the bot is not told as said to it')
    stage.expect(
      sentAt === undefined || (sentAt > earliest && sentAt < Date.now() + dayMs),
      `sentAt is ${sentAt}, not milliseconds since 1970`,
    )
  }
  const places = new Set(received.map(({ sender, conversation }) => JSON.stringify([sender.id, conversation.kind])))
  stage.expect(places.size === 1, `the same person in the same place is told as ${[...places].join(' and ')}`)
}

const dayMs = 86_400_000
/** The year 2001 in milliseconds; in seconds it is far ahead. */
const earliest = 1e12

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
  stage.expect(Number.isFinite(before) && before <= Date.now(), `lastHeard is ${before}`)
  await stage.until(() => Date.now() > before + 5, 'time stands still')
  stage.expect((await heard()) === before, `lastHeard moves although nothing was received${asked}`)
  await world.receiveOne?.('hello again')
  await stage.until(async () => (await heard()) > before, 'lastHeard stands still although something was received')
  await connection.close(stage.call())
}

async function checkRequest(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const host = stage.host(world)
  const connection = await connect(stage, host)
  const answer = await stage.within(world.request?.('What is new?', host.urls.at(-1) ?? '') ?? Promise.resolve(''), 'a request')
  stage.expect(answer.includes(greeting), `the answer was ${JSON.stringify(answer)}`)
  const said = JSON.stringify(host.turns[0]?.input ?? '')
  stage.expect(said.includes('What is new?'), `the turn was asked ${said}`)
  await connection.close(stage.call())
}

async function checkRefusal(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  if (!world.refused) return stage.untried('refused')
  const host = stage.host(world.refused)
  const error = await stage.rejection(stage.plugin.entry.connect(host.context, stage.call()), 'connect with refused credentials')
  const codes = [...finalCodes]
  stage.expect(
    finalCodes.has(error.code),
    `connect with refused credentials fails with ${error.code}, and is tried for ever: final are ${codes.join(', ')}`,
  )
  const shown = JSON.stringify(toWireError(error)) + host.lines.join('\n') + stage.plugin.said()
  const leak = findLeak(stage.subject, world.refused.secrets, shown)
  stage.expect(leak === undefined, `the value of ${leak} is shown when it is refused`)
}

async function checkAbort(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  if (!world.silent) return stage.untried('silent')
  const { control, entry } = stage.plugin
  const controller = new AbortController()
  const connecting = entry.connect(stage.host(world.silent).context, stage.call(controller.signal)).then(
    () => 'connected',
    () => 'rejected',
  )
  await stage.until(async () => (await control.busy()) === 1, 'connect did not start')
  controller.abort()
  stage.expect((await stage.within(connecting, 'an aborted connect')) === 'rejected', 'an aborted connect succeeded')
  await stage.until(async () => (await control.busy()) === 0, 'connecting goes on after abort')
}

async function checkLost(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  if (!world.cut) return stage.untried('cut')
  const host = stage.host(world)
  const connection = await connect(stage, host)
  await world.receiveOne?.('before the break')
  if (world.receiveOne) await arrival(stage, host, 'before the break')
  await breakUntilTold(stage, host, world.cut.bind(world))
  stage.expect(host.lost.length === 1, 'a broken connection has to be told once')
  const problem = findErrorProblem(host.lost[0])
  stage.expect(problem === undefined, `the error of a broken connection ${problem}`)
  const { code = '' } = host.lost[0] ?? {}
  stage.expect(!finalCodes.has(code), `a broken connection is told with ${code}, which ends the attempts`)
  await stage.within(connection.close(stage.call()), 'close after a broken connection')
}

/** What asks again and again has moments in which there is nothing to break. */
async function breakUntilTold(stage: PlatformStage, host: TestContext, cut: () => Promise<void>): Promise<void> {
  const looksPerCut = 100
  let looks = 0
  const look = async (): Promise<boolean> => {
    if (host.lost.length === 0 && looks % looksPerCut === 0) await cut()
    looks += 1
    return host.lost.length > 0
  }
  await stage.until(look, 'a broken connection was not told')
}

/** Variables as somebody may write them who has not read the guide: one at a time is missing, or holds what it cannot hold. */
async function checkSettings(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const { env } = declaration(stage)
  const { config, secrets = {}, onListen } = world
  const setUp = { config, ...(onListen ? { onListen } : {}) }
  for (const { name, value, required } of stage.subject.manifest.env.filter((one) => env.includes(one.name))) {
    const { [name]: _, ...others } = secrets
    if (required) await tryOnce(stage, { ...setUp, secrets: others }, { what: `without ${name}`, isFinal: true })
    const wrong = { ...setUp, secrets: { ...secrets, [name]: 'not like this' } }
    // An address that cannot be read and one where nobody answers are told in the same way by some.
    if (value !== undefined) await tryOnce(stage, wrong, { what: `with a wrong ${name}`, isFinal: value !== 'address' })
  }
}

/** Longer attempts are given up: they have not looked at the variable, or found it right. */
const longestMs = 500

interface Attempt {
  readonly what: string
  readonly isFinal: boolean
}

/** Connecting may succeed, since not every plugin reads every variable; where it fails, an author has to say why. */
async function tryOnce(stage: PlatformStage, setUp: SetUp, { what, isFinal }: Attempt): Promise<void> {
  const controller = new AbortController()
  const limit = setTimeout(() => controller.abort(), longestMs)
  const call = stage.call(controller.signal)
  const connecting = stage.plugin.entry.connect(stage.host(setUp).context, call).then(
    (connection) => ({ connection }),
    (error: unknown) => ({ error: toWireError(error) }),
  )
  const outcome = await stage.within(connecting, `connect ${what}`)
  clearTimeout(limit)
  if ('connection' in outcome) return await stage.within(outcome.connection.close(stage.call()), 'close')
  if (controller.signal.aborted) return
  const problem = findErrorProblem(outcome.error)
  stage.expect(problem === undefined, `the error of connect ${what} ${problem}`)
  const { code } = outcome.error
  stage.expect(!isFinal || finalCodes.has(code), `connect ${what} fails with ${code}, and is tried for ever`)
}
