import { toWireError } from '../../contract/errors.ts'
import type { ModelMessage } from '../../contract/model.ts'
import {
  type Compressed,
  type CompressRequest,
  estimateTokens,
  findCompressedMisfit,
  type OpenContextEngine,
} from '../../kinds/compress/compress.ts'
import type { TestContext } from '../rig/test-context.ts'
import { findErrorProblem } from './errors/error-problem.ts'
import { type ContractCase, commonRules, lacks, type RunOptions, requireQuick, rulesOf, type SetUp, type Stage } from './stage.ts'

/** What drives a context engine: models of the tests, where it asks any. */
export interface ContextWorld extends SetUp, AsyncDisposable {
  /** A set-up whose models fail. */
  readonly failing?: SetUp
  /** A set-up whose models, or whose service, take a question and never answer. */
  readonly silent?: SetUp
}

/** What the suite for context engines needs. */
export interface ContextContractOptions extends RunOptions<'context'> {
  readonly world: () => Promise<ContextWorld>
}

type ContextStage = Stage<'context'>

/** The rules of a context engine. */
export function contextContract(options: ContextContractOptions): readonly ContractCase[] {
  const rule = rulesOf(options)
  return [
    rule('compress', 'a long conversation comes back whole in form, and within the room', checkShorter),
    rule('goes-on', 'a turn that is at work goes on with its last results', checkAtWork),
    rule('again', 'what was shortened and went on is shortened again', checkAgain),
    rule('errors', 'where no model answers it does without, or fails with a code', checkErrors),
    rule('abort', 'a compression that is given up ends, and nothing goes on behind it', checkAbort),
    ...commonRules(options, async (stage: ContextStage, host) => {
      await (await open(stage, host)).compress(requestOf(talk(8)), stage.call())
    }),
  ]
}

async function open(stage: ContextStage, host: TestContext): Promise<OpenContextEngine> {
  return await stage.within(stage.plugin.entry.open(host.context, stage.call()), 'open')
}

const window = 32_000
const room = 5_000

function requestOf(messages: readonly ModelMessage[], more: Partial<CompressRequest> = {}): CompressRequest {
  return { messages, room, window, keepFirst: 2, keepLast: 6, reason: 'threshold', ...more }
}

const said = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
const filler = 'The harbour master writes down every boat that comes in, and the hour at which it leaves again. '

/** Turns of a person, each with a call of a tool. */
function talk(turns: number, first = 1): readonly ModelMessage[] {
  return Array.from({ length: turns }, (_, index) => index + first).flatMap((turn): ModelMessage[] => [
    said(`Task ${turn}: which boats are in pier ${turn}? ${filler}`),
    { role: 'assistant', parts: [{ type: 'call', id: `call_${turn}`, name: 'read_file', args: `{"path":"pier-${turn}.txt"}` }] },
    { role: 'tool', results: [{ id: `call_${turn}`, name: 'read_file', ok: true, text: `Pier ${turn}. ${filler.repeat(12)}` }] },
    { role: 'assistant', parts: [{ type: 'text', text: `Pier ${turn} holds ${turn} boats. ${filler}` }] },
  ])
}

/** Turns without tools: nothing of them can be left out unread. */
function chat(turns: number): readonly ModelMessage[] {
  return Array.from({ length: turns }, (_, turn): readonly ModelMessage[] => [
    said(`Question ${turn}: ${filler.repeat(3)}`),
    { role: 'assistant', parts: [{ type: 'text', text: `Answer ${turn}: ${filler.repeat(3)}` }] },
  ]).flat()
}

const asked = said('Now only this: paint the fence.')

async function shorten(stage: ContextStage, engine: OpenContextEngine, request: CompressRequest): Promise<readonly ModelMessage[]> {
  return requireFit(stage, request, await stage.within(engine.compress(request, stage.call()), 'compress'))
}

function requireFit(stage: ContextStage, request: CompressRequest, answer: Compressed): readonly ModelMessage[] {
  const misfit = findCompressedMisfit(request.messages, answer)
  stage.expect(misfit === undefined, `what it gives cannot be said to a model: ${misfit}`)
  const tokens = estimateTokens(answer.messages)
  stage.expect(tokens <= request.room, `what it gives takes ${tokens} tokens, and there is room for ${request.room}`)
  return answer.messages
}

async function checkShorter(stage: ContextStage, world: ContextWorld): Promise<void> {
  const engine = await open(stage, stage.host(world))
  for (const reason of ['threshold', 'overflow', 'asked'] as const) {
    const focus = reason === 'asked' ? { focus: 'the boats in pier 3' } : {}
    await shorten(stage, engine, requestOf([...talk(30), asked], { reason, ...focus }))
  }
  // A person asks for it between two turns.
  await shorten(stage, engine, requestOf(talk(30), { reason: 'asked' }))
}

async function checkAtWork(stage: ContextStage, world: ContextWorld): Promise<void> {
  const engine = await open(stage, stage.host(world))
  const work = talk(30, 100).filter(({ role }) => role !== 'user')
  const steps = work.filter((message) => message.role === 'tool' || message.parts.some(({ type }) => type === 'call'))
  await shorten(stage, engine, requestOf([...talk(3), asked, ...steps]))
}

async function checkAgain(stage: ContextStage, world: ContextWorld): Promise<void> {
  const engine = await open(stage, stage.host(world))
  const once = await shorten(stage, engine, requestOf(talk(30), { reason: 'asked' }))
  const twice = await shorten(stage, engine, requestOf([...once, ...talk(30, 31)], { reason: 'asked' }))
  await shorten(stage, engine, requestOf([...twice, ...talk(30, 61), asked]))
}

async function checkErrors(stage: ContextStage, { failing }: ContextWorld): Promise<void> {
  stage.expect(failing !== undefined || !asksModels(stage), lacks('failing'))
  if (!failing) return stage.untried('failing')
  const engine = await open(stage, stage.host(failing))
  const request = requestOf([...chat(60), asked])
  const answer = await stage.within(
    engine.compress(request, stage.call()).catch((error: unknown) => {
      const problem = findErrorProblem(toWireError(error))
      stage.expect(problem === undefined, `the error of a compression without a model ${problem}`)
      return undefined
    }),
    'a compression without a model',
  )
  if (answer) requireFit(stage, request, answer)
  await stage.rejection(engine.compress({ ...request, onlyByModel: true }, stage.call()), 'a compression that only a model may do')
}

async function checkAbort(stage: ContextStage, world: ContextWorld): Promise<void> {
  const { silent } = world
  const { net } = stage.subject.manifest.permissions
  const waits = asksModels(stage) || (net?.value ?? 'none') !== 'none'
  stage.expect(silent !== undefined || !waits, lacks('silent'))
  if (!silent) return requireQuick(stage, world, 'silent')
  const { control } = stage.plugin
  const engine = await open(stage, stage.host(silent))
  const controller = new AbortController()
  const shortening = engine.compress(requestOf([...chat(60), asked]), stage.call(controller.signal)).then(
    () => 'done',
    () => 'rejected',
  )
  await stage.until(async () => (await control.busy()) === 1, 'the compression was not begun')
  controller.abort()
  stage.expect((await stage.within(shortening, 'an aborted compression')) === 'rejected', 'an aborted compression was finished')
  await stage.until(async () => (await control.busy()) === 0, 'the compression goes on after abort')
}

const asksModels = ({ subject }: ContextStage): boolean => subject.manifest.permissions.host?.value.includes('models') === true
