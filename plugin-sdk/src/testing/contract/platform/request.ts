import type { TurnEvent } from '../../../contract/turn.ts'
import type { TestContext } from '../../rig/test-context.ts'
import { connect, need } from '../platform-stage.ts'
import type { PlatformStage, PlatformWorld } from '../platform-world.ts'

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
