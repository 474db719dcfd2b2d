import type { PlatformManifest } from '../../manifest.ts'
import type { OutboundMessage } from '../../messages.ts'
import type { Connection } from '../../platform.ts'
import { greeting, type TestContext } from '../test-context.ts'
import { type ContractCase, commonRules, isOwnCode, onStage, type RunOptions, type SetUp, type Stage } from './stage.ts'

/** The other side of a platform: a server of the tests and the people on it. */
export interface PlatformWorld extends SetUp, AsyncDisposable {
  /** Messaging doors: account and conversation in which the bot is reached. */
  readonly account?: string
  readonly conversation?: string
  /** Somebody says this to the bot. */
  receiveOne?(text: string): Promise<void>
  /** What the people have read of the bot, in order. */
  sent?(): readonly string[]
  /** Request doors: asks the door once, where it listens, and gives what it answered. */
  request?(text: string, url: string): Promise<string>
  /** Breaks the connection. */
  cut?(): Promise<void>
  /** Credentials that are refused. */
  readonly refused?: SetUp
  /** An address that takes the connection and never answers. */
  readonly silent?: SetUp
}

export interface PlatformContractOptions extends RunOptions<'platform'> {
  readonly world: () => Promise<PlatformWorld>
}

type PlatformStage = Stage<'platform'>

/** The rules of a platform, messaging or request door. */
export function platformContract(options: PlatformContractOptions): readonly ContractCase[] {
  const rule = (name: string, title: string, act: (stage: PlatformStage, world: PlatformWorld) => Promise<void>): ContractCase => ({
    rule: name,
    title: `${title} (${options.subject.place})`,
    run: async () => {
      await using world = await options.world()
      await onStage(options, name, (stage) => act(stage, world))
    },
  })
  const { door } = declaration(options)
  const ofDoor =
    door === 'messaging'
      ? [
          rule('inbound', 'what is said arrives with who, where and what', checkInbound),
          rule('receipts', 'each send has a receipt, and arrived', checkReceipts),
          rule('reception', 'lastHeard is proof of reception', checkReception),
        ]
      : [rule('request', 'a request runs a turn and gets its answer', checkRequest)]
  return [
    rule('shape', 'the methods are exactly those of the declared capabilities', checkShape),
    ...ofDoor,
    rule('errors', 'a refused connection has a code', checkRefusal),
    rule('abort', 'connecting can be given up', checkAbort),
    rule('lost', 'a broken connection is told', checkLost),
    ...commonRules(options, exercise),
  ]
}

function declaration({ subject }: Pick<PlatformContractOptions, 'subject'>): PlatformManifest {
  const found = subject.manifest.contributes.platforms.find((platform) => platform.id === subject.contribution)
  if (!found) throw new Error(`${subject.manifest.id} has no platform ${subject.contribution}.`)
  return found
}

async function connect(stage: PlatformStage, host: TestContext): Promise<Connection> {
  return await stage.within(stage.plugin.entry.connect(host.context, stage.call()), 'connect')
}

const message = (world: PlatformWorld, text: string, key = 'key-1'): OutboundMessage => ({
  key,
  text,
  account: world.account ?? '',
  conversation: world.conversation ?? '',
  part: { index: 0, total: 1 },
})

async function exercise(stage: PlatformStage, host: TestContext, world: PlatformWorld): Promise<void> {
  const connection = await connect(stage, host)
  await connection.lastHeard(stage.call())
  if (world.receiveOne) {
    const before = host.received.length
    await world.receiveOne('hello')
    await stage.until(() => host.received.length > before, 'a message did not arrive')
  }
  if (world.sent) await connection.send?.(message(world, 'an answer'), stage.call())
  await world.request?.('hello', host.urls.at(-1) ?? '')
  await stage.within(connection.close(stage.call()), 'close')
  await stage.within(connection.close(stage.call()), 'a second close')
}

async function checkShape(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const { capabilities, door } = declaration(stage)
  const connection = await connect(stage, stage.host(world))
  for (const name of ['edit', 'findSent', 'typing'] as const) {
    const has = typeof connection[name] === 'function'
    stage.expect(has === capabilities[name], has ? `it has ${name}, which is not declared` : `it declares ${name} and has no such method`)
  }
  stage.expect(typeof connection.lastHeard === 'function' && typeof connection.close === 'function', 'it lacks lastHeard or close')
  stage.expect(door === 'request' || typeof connection.send === 'function', 'a messaging door needs send')
  await connection.close(stage.call())
}

async function checkInbound(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const host = stage.host(world)
  const connection = await connect(stage, host)
  for (const text of ['first words', 'second words']) {
    await world.receiveOne?.(text)
    await stage.until(() => host.received.some((one) => one.text === text), `"${text}" did not arrive`)
  }
  const ids = new Set<string>()
  for (const { id, account, conversation, sender, addressed } of host.received) {
    ids.add(id)
    stage.expect(typeof id === 'string' && id !== '', 'a message has no id')
    stage.expect(typeof account === 'string' && account !== '', 'a message names no account')
    stage.expect(
      ['dm', 'group', 'channel', 'thread'].includes(conversation?.kind) && conversation.id !== '',
      'a message names no conversation',
    )
    stage.expect(typeof sender?.id === 'string' && typeof sender.isBot === 'boolean', 'a message names no sender')
    stage.expect(typeof addressed === 'boolean', 'a message does not say whether the bot was addressed')
  }
  stage.expect(ids.size === host.received.length, 'two messages have the same id')
  await connection.close(stage.call())
}

async function checkReceipts(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const connection = await connect(stage, stage.host(world))
  for (const [index, text] of ['one answer', 'another answer'].entries()) {
    const sending = connection.send?.(message(world, text, `key-${index}`), stage.call())
    const receipt = await stage.within(Promise.resolve(sending), 'send')
    stage.expect(receipt?.status === 'sent' || receipt?.status === 'unknown', `the receipt of a send is ${JSON.stringify(receipt)}`)
    if (receipt.status === 'sent')
      stage.expect(typeof receipt.platformId === 'string' && receipt.platformId !== '', 'a receipt names no message')
    else stage.expect(isOwnCode(receipt.error?.code ?? ''), 'a receipt that is unknown does not say why')
    await stage.until(() => world.sent?.().includes(text) ?? true, `"${text}" was not delivered`)
  }
  await connection.close(stage.call())
}

async function checkReception(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const host = stage.host(world)
  const connection = await connect(stage, host)
  const heard = (): Promise<number> => stage.within(connection.lastHeard(stage.call()), 'lastHeard')
  await world.receiveOne?.('hello')
  await stage.until(() => host.received.length > 0, 'a message did not arrive')
  const before = await heard()
  stage.expect(Number.isFinite(before) && before <= Date.now(), `lastHeard is ${before}`)
  await stage.until(() => Date.now() > before + 5, 'time stands still')
  stage.expect((await heard()) === before, 'lastHeard moves although nothing was received')
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
  if (!world.refused) return
  const host = stage.host(world.refused)
  await stage.rejection(stage.plugin.entry.connect(host.context, stage.call()), 'connect with refused credentials')
}

async function checkAbort(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  if (!world.silent) return
  const { control, entry } = stage.plugin
  const controller = new AbortController()
  const connecting = entry.connect(stage.host(world.silent).context, stage.call(controller.signal)).then(
    () => 'connected',
    () => 'rejected',
  )
  await stage.until(async () => (await control.busy()) === 1, 'connect did not start')
  controller.abort()
  stage.expect((await stage.within(connecting, 'an aborted connect')) === 'rejected', 'an aborted connect succeeded')
}

async function checkLost(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  if (!world.cut) return
  const host = stage.host(world)
  const connection = await connect(stage, host)
  await world.cut()
  await stage.until(() => host.lost.length > 0, 'a broken connection was not told')
  stage.expect(host.lost.length === 1 && isOwnCode(host.lost[0]?.code ?? ''), 'a broken connection has to be told once, with a code')
  await stage.within(connection.close(stage.call()), 'close after a broken connection')
}
