import { isAgentError } from '../../contract/errors.ts'
import { completeConnection, optionalMethods } from '../../kinds/connection/complete-connection.ts'
import type { TestContext } from '../rig/test-context.ts'
import { checkBusy, checkIds, checkInbound, checkWords } from './platform/inbound.ts'
import { checkAbort, checkEnded, checkLost, checkOutage, checkRefusal, checkSettings } from './platform/life.ts'
import { checkGone, checkRequest } from './platform/request.ts'
import { capabilityCases } from './platform-capabilities.ts'
import { checkClosed, deliveryCases } from './platform-delivery.ts'
import { arrival, connect, createMessage, declaration, earliest, need } from './platform-stage.ts'
import type { PlatformContractOptions, PlatformRule, PlatformStage, PlatformWorld } from './platform-world.ts'
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
