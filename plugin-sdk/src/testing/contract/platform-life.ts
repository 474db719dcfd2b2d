import { finalCodes, toWireError } from '../../contract/errors.ts'
import type { TurnEvent } from '../../contract/turn.ts'
import { settle } from '../rig/settle.ts'
import type { TestContext } from '../rig/test-context.ts'
import { findErrorProblem } from './errors/error-problem.ts'
import { arrival, connect, declaration, need, type PlatformStage, type PlatformWorld } from './platform-world.ts'
import { findLeak, type SetUp } from './stage.ts'

export async function checkRefusal(stage: PlatformStage, world: PlatformWorld): Promise<void> {
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

export async function checkAbort(stage: PlatformStage, world: PlatformWorld): Promise<void> {
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

export async function checkLost(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  if (!world.cut) return stage.untried('cut')
  const host = stage.host(world)
  const connection = await connect(stage, host)
  await world.receiveOne?.('before the break')
  if (world.receiveOne) await arrival(stage, host, 'before the break')
  await breakUntilTold(stage, host, world.cut.bind(world))
  stage.expect(host.lost.length === 1, 'a broken connection has to be told once')
  const told = Date.now()
  await stage.until(() => Date.now() > told + echoMs, 'time stands still')
  stage.expect(host.lost.length === 1, 'a broken connection is told once more')
  const problem = findErrorProblem(host.lost[0])
  stage.expect(problem === undefined, `the error of a broken connection ${problem}`)
  const { code = '' } = host.lost[0] ?? {}
  stage.expect(!finalCodes.has(code), `a broken connection is told with ${code}, which ends the attempts`)
  stage.expect(host.retryable[0] === true, 'a broken connection is told as one that is not worth another try')
  await stage.within(connection.close(stage.call()), 'close after a broken connection')
  await checkNext(stage, world, host)
}

/** The gateway connects again, and is told of nothing that is over. What a world breaks may be the next connection too. */
async function checkNext(stage: PlatformStage, world: PlatformWorld, host: TestContext): Promise<void> {
  for (let time = 0; time < 3; time += 1) {
    const losses = host.lost.length
    const next = await connect(stage, host)
    await world.receiveOne?.(`after break ${time}`)
    const hasArrived = (): boolean => !world.receiveOne || host.received.some(({ text }) => text.includes('after break'))
    await stage.until(() => hasArrived() || host.lost.length > losses, 'after a broken connection nothing arrives')
    await stage.within(next.close(stage.call()), 'close')
    if (hasArrived()) return
  }
  stage.expect(false, 'after a broken connection every other breaks too')
}

const echoMs = 50

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

/** What a plugin may write about when it goes wrong: a host that is busy, and a loss. Whether it does right there has its own rules. */
export async function trouble(stage: PlatformStage, host: TestContext, world: PlatformWorld): Promise<void> {
  const connection = await connect(stage, host)
  if (world.receiveOne) {
    const before = host.received.length
    host.answerReceive({ status: 'busy', retryAfterMs: 5 })
    await world.receiveOne('come again')
    await stage.until(() => host.received.length > before, 'a message did not arrive')
  }
  await world.cut?.()
  const end = Date.now() + lossMs
  if (world.cut) await stage.until(() => host.lost.length > 0 || Date.now() > end, 'time stands still')
  await stage.within(connection.close(stage.call()), 'close')
}

const lossMs = 300

/** Variables as somebody may write them who has not read the guide: one at a time is missing, or holds what it cannot hold. */
export async function checkSettings(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const { env } = declaration(stage)
  const { config, secrets = {}, onListen } = world
  const setUp = { config, ...(onListen ? { onListen } : {}) }
  for (const { name, value, required } of stage.subject.manifest.env.filter((one) => env.includes(one.name))) {
    const { [name]: _, ...others } = secrets
    if (required) await tryOnce(stage, { ...setUp, secrets: others }, { what: `without ${name}`, isFinal: true, mustFail: true })
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
  /** The manifest says that it runs only with this variable. */
  readonly mustFail?: true
}

/** Connecting may succeed, since not every plugin reads every variable, except for one that has to be set; where it fails, an author has to say why. */
async function tryOnce(stage: PlatformStage, setUp: SetUp, { what, isFinal, mustFail }: Attempt): Promise<void> {
  const controller = new AbortController()
  const limit = setTimeout(() => controller.abort(), longestMs)
  const call = stage.call(controller.signal)
  const connecting = stage.plugin.entry.connect(stage.host(setUp).context, call).then(
    (connection) => ({ connection }),
    (error: unknown) => ({ error: toWireError(error) }),
  )
  const outcome = await stage.within(connecting, `connect ${what}`)
  clearTimeout(limit)
  stage.expect(!('connection' in outcome && mustFail), `connect ${what} succeeds, and the manifest says that it has to be set`)
  if ('connection' in outcome) return await stage.within(outcome.connection.close(stage.call()), 'close')
  if (controller.signal.aborted) return
  const problem = findErrorProblem(outcome.error)
  stage.expect(problem === undefined, `the error of connect ${what} ${problem}`)
  const { code } = outcome.error
  stage.expect(!isFinal || finalCodes.has(code), `connect ${what} fails with ${code}, and is tried for ever`)
}

/** The world has ended before: nobody is where the service was. */
export async function checkOutage(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const { entry } = stage.plugin
  const error = await stage.rejection(entry.connect(stage.host(world).context, stage.call()), 'connect where nobody answers')
  stage.expect(!finalCodes.has(error.code), `connect where nobody answers fails with ${error.code}, which ends the attempts`)
}

/** The plugin is ended while it is connected, as at the end of the program. */
export async function checkEnded(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const { control } = stage.plugin
  let before: readonly string[] = []
  for (let round = 0; round < 2; round += 1) {
    const host = stage.host(world)
    await connect(stage, host)
    await world.receiveOne?.(`hello ${round}`)
    if (world.receiveOne) await arrival(stage, host, `hello ${round}`)
    const problems = await stage.within(control.dispose(), 'ending it')
    stage.expect(problems.length === 0, `an effect could not be undone: ${problems.join(', ')}`)
    if (round === 0) before = await settle(control)
  }
  const after = await settle(control)
  stage.expect(after.length <= before.length, `what was connected when it ended keeps open ${after.join(', ')}`)
}

const pieces = ['Hello from', ' the host', ' of the tests.']

/** An answer that comes in parts, as a model gives it. */
async function* talk(): AsyncIterable<TurnEvent> {
  yield { type: 'message.start', turn: 'trn_1', session: 'ses_1', provider: 'test', model: 'test' }
  for (const text of pieces) yield { type: 'message.delta', text }
  yield { type: 'usage', usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, calls: 1 }
  yield { type: 'message.complete', text: pieces.join(''), status: 'complete', stop: 'stop' }
}

export async function checkRequest(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const ask = need(stage, world, 'request').bind(world)
  const host = stage.host(world, { turn: talk })
  const connection = await connect(stage, host)
  for (const [index, question] of ['What is new?', 'And what is old?'].entries()) {
    const answer = await stage.within(ask(question, host.urls.at(-1) ?? ''), 'a request')
    const lost = pieces.filter((piece) => !answer.includes(piece))
    stage.expect(lost.length === 0, `the answer lacks ${JSON.stringify(lost.join(''))}: ${JSON.stringify(answer)}`)
    stage.expect(host.turns.length === index + 1, `${index + 1} requests have run ${host.turns.length} turns`)
    const said = JSON.stringify(host.turns[index]?.input ?? '')
    stage.expect(said.includes(question), `the turn was asked ${said}`)
  }
  await checkElsewhere(stage, host)
  await connection.close(stage.call())
}

async function checkElsewhere(stage: PlatformStage, { urls, turns }: TestContext): Promise<void> {
  const before = turns.length
  const response = await stage.within(fetch(`${urls.at(-1) ?? ''}/no/such/place`), 'a request to nowhere')
  await response.body?.cancel()
  stage.expect(response.status >= 400, `a request to nowhere is answered with the status ${response.status}`)
  stage.expect(turns.length === before, 'a request to nowhere has run a turn')
}

/** Nobody waits for the answer any more. */
export async function checkGone(stage: PlatformStage, world: PlatformWorld): Promise<void> {
  const ask = need(stage, world, 'request').bind(world)
  const seen: AbortSignal[] = []
  const host = stage.host(world, {
    turn: async function* (_, { signal }) {
      seen.push(signal)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      yield { type: 'message.complete', text: '', status: 'interrupted', stop: 'stop' }
    },
  })
  const connection = await connect(stage, host)
  const controller = new AbortController()
  const asking = ask('What is new?', host.urls.at(-1) ?? '', controller.signal).catch(() => 'given up')
  await stage.until(() => seen.length > 0, 'a request has not begun a turn')
  controller.abort()
  await stage.until(() => seen[0]?.aborted === true, 'a turn goes on where nobody waits for its answer any more')
  await asking
  await connection.close(stage.call())
}
