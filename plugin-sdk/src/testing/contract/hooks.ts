import { type HookEvents, type HookName, hookKinds } from '../../contract/hooks.ts'
import type { Call } from '../../contract/wire.ts'
import type { OpenHooks } from '../../kinds/hooks.ts'
import type { TestContext } from '../rig/test-context.ts'
import { type ContractCase, commonRules, lacks, type RunOptions, rulesOf, type SetUp, type Stage } from './stage.ts'

export type HookTrial = { readonly [Name in HookName]: { readonly hook: Name; readonly event: HookEvents[Name] } }[HookName]

/** What drives hooks: events that they get. */
export interface HooksWorld extends SetUp, AsyncDisposable {
  /** Each is answered: at least one for each declared hook. */
  readonly events: readonly HookTrial[]
  /** `gate`: an event that is refused. */
  readonly refused?: HookTrial
}

/** What the suite for hooks needs. */
export interface HooksContractOptions extends RunOptions<'hooks'> {
  readonly world: () => Promise<HooksWorld>
}

type HooksStage = Stage<'hooks'>

/** The rules of hooks. */
export function hooksContract(options: HooksContractOptions): readonly ContractCase[] {
  const { subject } = options
  const rule = rulesOf(options)
  const declared = declaredHooks(subject)
  return [
    rule('shape', 'the hooks are exactly those of the manifest', async (stage: HooksStage, world) => {
      const provided = Object.keys(await open(stage, stage.host(world))).sort()
      const expected = [...declared].sort().join(', ')
      stage.expect(provided.join(', ') === expected, `the manifest lists ${expected}; the entry has ${provided.join(', ') || 'none'}`)
    }),
    rule('answer', 'each event is answered as its kind of hook may', async (stage: HooksStage, world) => {
      const untried = declared.filter((name) => !world.events.some(({ hook }) => hook === name))
      stage.expect(untried.length === 0, `the world of the tests has no event for ${untried.join(', ')}, so that nothing is proved`)
      const hooks = await open(stage, stage.host(world))
      for (const trial of world.events) checkAnswer(stage, trial, await run(stage, hooks, trial))
    }),
    ...(declared.some((name) => hookKinds[name] === 'gate')
      ? [rule('refusal', 'what has to be refused is refused, with a reason', checkRefusal)]
      : []),
    ...commonRules(options, async (stage: HooksStage, host, world: HooksWorld) => {
      const hooks = await open(stage, host)
      for (const trial of world.events) await run(stage, hooks, trial)
    }),
  ]
}

function declaredHooks({ manifest, contribution }: HooksStage['subject']): readonly HookName[] {
  return manifest.contributes.hooks.find(({ id }) => id === contribution)?.hooks.map(({ name }) => name) ?? []
}

async function open(stage: HooksStage, host: TestContext): Promise<OpenHooks['hooks']> {
  return (await stage.within(stage.plugin.entry.open(host.context, stage.call()), 'open')).hooks ?? {}
}

async function run(stage: HooksStage, hooks: OpenHooks['hooks'], { hook, event }: HookTrial): Promise<unknown> {
  const found = hooks[hook] as ((event: unknown, call: Call) => Promise<unknown>) | undefined
  stage.expect(found !== undefined, `the hook ${hook} is not there`)
  return await stage.within(found(event, stage.call()), hook)
}

async function checkRefusal(stage: HooksStage, world: HooksWorld): Promise<void> {
  const { refused } = world
  stage.expect(refused !== undefined, lacks('refused'))
  const answer = await run(stage, await open(stage, stage.host(world)), refused)
  const { refuse } = (answer ?? {}) as { readonly refuse?: unknown }
  stage.expect(typeof refuse === 'string' && refuse !== '', `${refused.hook} was answered ${JSON.stringify(answer)}`)
}

function checkAnswer(stage: HooksStage, { hook, event }: HookTrial, answer: unknown): void {
  if (answer === undefined || answer === null) return
  const form = hookKinds[hook]
  stage.expect(form !== 'observe', `${hook} only watches, and was answered ${JSON.stringify(answer)}`)
  const fields = typeof answer === 'object' ? Object.keys(answer) : []
  if (form === 'gate') {
    stage.expect(fields.join() === 'refuse', `${hook} was answered ${JSON.stringify(answer)}; a gate says { refuse } or nothing`)
    return
  }
  const strange = fields.filter((field) => !(field in event))
  stage.expect(
    fields.length > 0 && strange.length === 0,
    `${hook} was answered ${JSON.stringify(answer)}; only fields of the event can change`,
  )
}
