import { type ModelEvent, type ModelRequest, modelErrorClasses } from '../../contract/model.ts'
import type { TestContext } from '../rig/test-context.ts'
import { describeFailure, findErrorProblem } from './errors/error-problem.ts'
import { type ContractCase, commonRules, onStage, type RunOptions, type SetUp, type Stage } from './stage.ts'

/** What drives a provider: requests that make it do certain things. */
export interface ProviderWorld extends SetUp, AsyncDisposable {
  /** Answered with text. */
  readonly text: ModelRequest
  /** Answered with at least two calls of tools that the request offers. */
  readonly calls?: ModelRequest
  /** Ends with `failed`. */
  readonly failing?: ModelRequest
  /** Goes on until it is aborted. */
  readonly endless: ModelRequest
}

/** What the suite for providers needs. */
export interface ProviderContractOptions extends RunOptions<'provider'> {
  readonly world: () => Promise<ProviderWorld>
}

type ProviderStage = Stage<'provider'>

/** The rules of a provider. */
export function providerContract(options: ProviderContractOptions): readonly ContractCase[] {
  const rule = (
    name: string,
    title: string,
    act: (stage: ProviderStage, events: Readers, world: ProviderWorld) => Promise<void>,
  ): ContractCase => ({
    rule: name,
    title: `${title} (${options.subject.place})`,
    run: async () => {
      await using world = await options.world()
      return await onStage(options, name, async (stage) => act(stage, readers(stage, world), world))
    },
  })
  return [
    rule('shape', 'the entry opens a source that streams', async (stage: ProviderStage, _events, world) => {
      const source = await stage.plugin.entry.open(stage.host(world).context, stage.call())
      stage.expect(typeof source?.stream === 'function', 'open did not give a source with stream')
    }),
    rule('ending', 'a stream never throws and ends with exactly one end or failed', checkEndings),
    rule('calls', 'calls are whole, known and told apart by their id', checkCalls),
    rule('usage', 'usage is counted in whole tokens', checkUsage),
    rule('errors', 'a failure has a class of the list and a code', checkFailure),
    rule('abort', 'an aborted stream ends, and nothing goes on behind it', checkAbort),
    ...commonRules(options, exercise),
  ]
}

type Readers = (request: ModelRequest, signal?: AbortSignal) => Promise<readonly ModelEvent[]>

function readers(stage: ProviderStage, world: SetUp): Readers {
  return async (request, signal) => await readAll(stage, stage.host(world), request, signal)
}

async function readAll(
  stage: ProviderStage,
  host: TestContext,
  request: ModelRequest,
  signal?: AbortSignal,
): Promise<readonly ModelEvent[]> {
  const source = await stage.within(stage.plugin.entry.open(host.context, stage.call()), 'open')
  const events: ModelEvent[] = []
  const read = async (): Promise<void> => {
    for await (const event of source.stream(request, stage.call(signal))) events.push(event)
  }
  await stage.within(read(), 'the stream')
  return events
}

async function exercise(stage: ProviderStage, host: TestContext, world: ProviderWorld): Promise<void> {
  for (const request of [world.text, world.calls, world.failing]) {
    if (request) await readAll(stage, host, request).catch(() => undefined)
  }
}

const isLast = (event: ModelEvent | undefined): boolean => event?.type === 'end' || event?.type === 'failed'

async function checkEndings(stage: ProviderStage, read: Readers, world: ProviderWorld): Promise<void> {
  for (const [what, request] of Object.entries({ text: world.text, calls: world.calls, failing: world.failing })) {
    if (!request) continue
    let thrown: unknown
    const events = await read(request).catch((error: unknown) => {
      thrown = error
      return []
    })
    stage.expect(thrown === undefined, `the stream for "${what}" threw: ${describeFailure(thrown)}`)
    stage.expect(events.filter(isLast).length === 1, `the stream for "${what}" has ${events.filter(isLast).length} ends`)
    stage.expect(isLast(events.at(-1)), `the stream for "${what}" goes on after its end`)
  }
}

async function checkCalls(stage: ProviderStage, read: Readers, { calls }: ProviderWorld): Promise<void> {
  if (!calls) return stage.untried('calls')
  const made = (await read(calls)).filter((event) => event.type === 'call')
  const known = new Set(calls.tools.map((tool) => tool.name))
  stage.expect(made.length >= 2, `${made.length} calls were made where two were due`)
  stage.expect(new Set(made.map((call) => call.id)).size === made.length, 'two calls have the same id')
  for (const { id, name, args } of made) {
    stage.expect(typeof id === 'string' && id !== '', 'a call has no id')
    stage.expect(known.has(name), `it calls ${name}, which the request does not offer`)
    stage.expect(typeof args === 'string', 'args is not the text of the arguments')
  }
}

async function checkUsage(stage: ProviderStage, read: Readers, world: ProviderWorld): Promise<void> {
  const end = (await read(world.text)).find((event) => event.type === 'end')
  stage.expect(end !== undefined, 'a plain text did not end well')
  for (const field of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const) {
    const count = end.usage?.[field]
    stage.expect(Number.isInteger(count) && count >= 0, `usage.${field} is ${count}`)
  }
}

async function checkFailure(stage: ProviderStage, read: Readers, { failing }: ProviderWorld): Promise<void> {
  if (!failing) return stage.untried('failing')
  const events = await read(failing).catch((): readonly ModelEvent[] => [])
  const failed = events.find((event) => event.type === 'failed')
  stage.expect(failed !== undefined, 'a failing request did not end with failed')
  stage.expect(modelErrorClasses.includes(failed.class), `${failed.class} is not a class of failures`)
  const problem = findErrorProblem(failed.error)
  stage.expect(problem === undefined, `the error of failed ${problem}`)
}

async function checkAbort(stage: ProviderStage, _read: Readers, world: ProviderWorld): Promise<void> {
  const { entry, control } = stage.plugin
  const source = await entry.open(stage.host(world).context, stage.call())
  const controller = new AbortController()
  const iterator = source.stream(world.endless, stage.call(controller.signal))[Symbol.asyncIterator]()
  const first = await stage.within(iterator.next(), 'the first event')
  stage.expect(!first.done, 'an endless stream ended at once')
  controller.abort()
  const drain = async (): Promise<void> => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next());
  }
  await stage.within(drain(), 'an aborted stream')
  await stage.until(async () => (await control.busy()) === 0, 'the generator goes on after abort')
}
