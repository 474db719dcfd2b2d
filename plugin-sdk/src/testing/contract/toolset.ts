import type { ToolContext } from '../../contract/context.ts'
import type { OpenToolset, ToolCall, ToolManifest, ToolResult, ToolRun } from '../../kinds/toolset.ts'
import { findMisfit } from '../rig/find-misfit.ts'
import type { TestContext } from '../rig/test-context.ts'
import { createToolVerbs } from '../rig/test-memory.ts'
import { describeFailure, findErrorProblem } from './errors/error-problem.ts'
import { type ContractCase, commonRules, type RunOptions, requireQuick, rulesOf, type SetUp, type Stage } from './stage.ts'

export interface TriedCall {
  readonly tool: string
  readonly args: unknown
}

/** What drives a toolset: calls with arguments that fit the manifest. */
export interface ToolsetWorld extends SetUp, AsyncDisposable {
  /** Folder that the tools work in. */
  readonly workspace: string
  /** Calls that succeed, in this order. */
  readonly good: readonly TriedCall[]
  /** A call that fails in an ordinary way. */
  readonly failing?: TriedCall
  /** A call that goes on until it is aborted. */
  readonly hanging?: TriedCall
  /** The person who is asked; says yes to everything where nothing is given. */
  readonly ask?: ToolCall['ask']
}

/** What the suite for toolsets needs. */
export interface ToolsetContractOptions extends RunOptions<'toolset'> {
  readonly world: () => Promise<ToolsetWorld>
}

type ToolsetStage = Stage<'toolset'>

/** The rules of a toolset. */
export function toolsetContract(options: ToolsetContractOptions): readonly ContractCase[] {
  const rule = rulesOf(options)
  return [
    rule('shape', 'the tools are exactly those of the manifest', checkTools),
    ...(dynamicOf(options) ? [rule('dynamic', 'tools that are known only when it runs are told as the manifest says', checkDynamic)] : []),
    ...(specOf(options)?.setUp === undefined ? [] : [rule('set-up', 'it can be set up, and once more', checkSetUp)]),
    rule('result', 'a call gives a result, also when it fails', checkResults),
    rule('errors', 'a failure has a code', checkFailure),
    rule('progress', 'progress is a note: text, and none after the result', checkProgress),
    rule('abort', 'an aborted call ends, and nothing goes on behind it', checkAbort),
    ...commonRules(options, exercise),
  ]
}

async function exercise(stage: ToolsetStage, host: TestContext, world: ToolsetWorld): Promise<void> {
  const opened = await open(stage, host)
  for (const tried of [...world.good, ...(world.failing ? [world.failing] : [])]) {
    await run(stage, opened, tried, world).catch(() => undefined)
  }
}

/** The tools, and what a call finds beside its arguments. */
interface Opened {
  readonly tools: OpenToolset['tools']
  readonly dynamic: OpenToolset['dynamic'] | undefined
  readonly verbs: Pick<ToolCall, 'memory' | 'sessions' | 'skills' | 'agents' | 'jobs' | 'tools'>
}

async function open(stage: ToolsetStage, host: TestContext): Promise<Opened> {
  const opened = await stage.within(stage.plugin.entry.open(host.context as ToolContext, stage.call()), 'open')
  const dynamic = dynamicOf(stage) ? opened.dynamic : undefined
  return { tools: opened.tools ?? {}, dynamic, verbs: createToolVerbs(stage.subject.manifest) }
}

async function run(
  stage: ToolsetStage,
  { tools, dynamic, verbs }: Opened,
  { tool, args }: TriedCall,
  world: ToolsetWorld,
  more: { readonly signal?: AbortSignal; readonly progress?: (text: string) => void } = {},
): Promise<ToolResult> {
  const toolCall: ToolCall = {
    id: 'call_1',
    args,
    session: 'ses_1',
    turn: 'trn_1',
    workspace: world.workspace,
    progress: more.progress ?? (() => undefined),
    ask: world.ask ?? (async () => 'yes'),
    ...verbs,
  }
  const isDynamic = dynamic !== undefined && tool.startsWith(dynamicOf(stage)?.prefix ?? ' ')
  const found = isDynamic ? (((given, call) => dynamic.run(tool, given, call)) satisfies ToolRun) : (tools[tool] as ToolRun | undefined)
  stage.expect(found !== undefined, `the tool ${tool} is not there`)
  const known = isDynamic ? (await listDynamic(stage, dynamic)).tools : declaredTools(stage)
  const misfit = findMisfit(known.find(({ name }) => name === tool)?.parameters, args)
  stage.expect(misfit === undefined, `the world calls ${tool} with arguments that do not fit: ${misfit}`)
  return await stage.within(found(toolCall, stage.call(more.signal)), tool)
}

const specOf = ({ subject: { manifest, contribution } }: Pick<ToolsetStage, 'subject'>) =>
  manifest.contributes.toolsets.find(({ id }) => id === contribution)

const dynamicOf = (stage: Pick<ToolsetStage, 'subject'>) => specOf(stage)?.dynamicTools

type Dynamic = NonNullable<OpenToolset['dynamic']>

async function listDynamic(stage: ToolsetStage, dynamic: Dynamic): ReturnType<Dynamic['list']> {
  return await stage.within(dynamic.list({}, stage.call()), 'dynamic.list')
}

/** Their names begin with the prefix, each is there once, and the revision is the same for the same tools. */
async function checkDynamic(stage: ToolsetStage, world: ToolsetWorld): Promise<void> {
  const { prefix = '' } = dynamicOf(stage) ?? {}
  const { dynamic } = await open(stage, stage.host(world))
  stage.expect(dynamic !== undefined, 'the manifest has dynamicTools, and the entry has no dynamic')
  const { tools, revision } = await listDynamic(stage, dynamic)
  const names = tools.map(({ name }) => name)
  stage.expect(names.length > 0, 'the world of the tests has no tool that is known only when it runs, so that nothing is proved')
  const odd = names.find((name, index) => !name.startsWith(prefix) || names.indexOf(name) !== index)
  stage.expect(odd === undefined, `the tool ${odd} is told twice, or does not begin with ${prefix}`)
  stage.expect((await listDynamic(stage, dynamic)).revision === revision, 'the revision changes though the tools do not')
}

async function checkSetUp(stage: ToolsetStage, world: ToolsetWorld): Promise<void> {
  const opened = await stage.within(stage.plugin.entry.open(stage.host(world).context as ToolContext, stage.call()), 'open')
  for (const time of ['first', 'second']) {
    stage.expect(opened.setUp !== undefined, 'the manifest has setUp, and the entry has none')
    const said = await stage.within(opened.setUp?.(stage.call()) ?? Promise.resolve(''), 'setUp')
    stage.expect(typeof said === 'string' && said.trim() !== '', `the ${time} set-up does not say what came of it`)
  }
}

function declaredTools(stage: ToolsetStage): readonly ToolManifest[] {
  return specOf(stage)?.tools ?? []
}

async function checkTools(stage: ToolsetStage, world: ToolsetWorld): Promise<void> {
  const expected = declaredTools(stage)
    .map(({ name }) => name)
    .sort()
  const { tools } = await open(stage, stage.host(world))
  const provided = Object.keys(tools).sort()
  stage.expect(
    provided.join() === expected.join(),
    `the manifest lists ${expected.join(', ')}; the entry has ${provided.join(', ') || 'none'}`,
  )
}

async function checkResults(stage: ToolsetStage, world: ToolsetWorld): Promise<void> {
  const opened = await open(stage, stage.host(world))
  for (const tried of world.good) {
    const result = await run(stage, opened, tried, world).catch((error: unknown) => error as Error)
    stage.expect(!(result instanceof Error) && result?.ok === true, `${tried.tool} did not succeed: ${describe(result)}`)
    stage.expect(typeof result.text === 'string', `${tried.tool} has no text for the model`)
  }
  if (!world.failing) return
  const result = await run(stage, opened, world.failing, world).catch((error: unknown) => error as Error)
  stage.expect(!(result instanceof Error), `${world.failing.tool} threw instead of giving a result: ${describe(result)}`)
  stage.expect(result?.ok === false, `${world.failing.tool} succeeded where it had to fail`)
}

const describe = (result: unknown): string => (result instanceof Error ? describeFailure(result) : JSON.stringify(result))

async function checkFailure(stage: ToolsetStage, world: ToolsetWorld): Promise<void> {
  if (!world.failing) return stage.untried('failing')
  const opened = await open(stage, stage.host(world))
  const result = await run(stage, opened, world.failing, world).catch(() => undefined)
  if (result?.ok !== false) return
  const problem = findErrorProblem(result.error)
  stage.expect(problem === undefined, `the error of ${world.failing.tool} ${problem}`)
}

async function checkProgress(stage: ToolsetStage, world: ToolsetWorld): Promise<void> {
  const opened = await open(stage, stage.host(world))
  for (const tried of [...world.good, ...(world.failing ? [world.failing] : [])]) {
    const notes: unknown[] = []
    await run(stage, opened, tried, world, { progress: (text) => notes.push(text) }).catch(() => undefined)
    stage.expect(
      notes.every((note) => typeof note === 'string'),
      `${tried.tool} reports progress that is not text`,
    )
  }
  // What was sent after the results has arrived when these two questions are answered.
  await stage.plugin.control.dispose()
  await new Promise((resolve) => setImmediate(resolve))
  await stage.plugin.control.busy()
  stage.expect(stage.plugin.late().length === 0, 'it reports progress after the result')
}

async function checkAbort(stage: ToolsetStage, world: ToolsetWorld): Promise<void> {
  if (!world.hanging) return requireQuick(stage, world, 'hanging')
  const opened = await open(stage, stage.host(world))
  const controller = new AbortController()
  const running = run(stage, opened, world.hanging, world, { signal: controller.signal }).catch((error: unknown) => {
    // An aborted call may reject; only one that never ends breaks the rule.
    if (error instanceof Error && 'code' in error && error.code === 'CONTRACT_BROKEN') throw error
  })
  await stage.until(async () => (await stage.plugin.control.busy()) === 1, 'the hanging call did not start')
  controller.abort()
  await running
  await stage.until(async () => (await stage.plugin.control.busy()) === 0, 'the call goes on after abort')
}
