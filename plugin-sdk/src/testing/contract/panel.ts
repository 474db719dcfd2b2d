import { findAnswerMisfit, type PanelAnswers, type PanelRecord } from '../../contract/panel.ts'
import type { OpenPanel, PanelManifest, PanelRequest } from '../../kinds/panel.ts'
import { fillDefaults } from '../rig/fill-settings.ts'
import { findMisfit } from '../rig/find-misfit.ts'
import type { TestContext } from '../rig/test-context.ts'
import { type ContractCase, commonRules, lacks, type RunOptions, requireQuick, rulesOf, type SetUp, type Stage } from './stage.ts'

/** A method as a page asks it, where it is only said as far as it matters. */
export type PanelTrial = Pick<PanelRequest, 'method'> & Partial<PanelRequest>

/** What drives a panel: methods that are asked, in this order. */
export interface PanelWorld extends SetUp, AsyncDisposable {
  /** Each is answered: at least one for each method. */
  readonly given: readonly PanelTrial[]
  /** One that cannot be done, such as about a row that is gone. */
  readonly failing?: PanelTrial
  /** One that takes long enough to be given up. */
  readonly slow?: PanelTrial
}

/** What the suite for panels needs. */
export interface PanelContractOptions extends RunOptions<'panel'> {
  readonly world: () => Promise<PanelWorld>
}

type PanelStage = Stage<'panel'>

/** The rules of a panel. */
export function panelContract(options: PanelContractOptions): readonly ContractCase[] {
  const rule = rulesOf(options)
  return [
    rule('answer', 'each method answers what its blocks can draw, also before a filter is filled in', checkAnswers),
    rule('errors', 'what cannot be done fails with a code', async (stage, world) => {
      const { failing } = world
      if (!failing) return stage.untried('failing')
      await stage.rejection(run(stage, await open(stage, stage.host(world)), failing), failing.method)
    }),
    rule('abort', 'a method that is given up ends, and nothing goes on behind it', checkAbort),
    ...commonRules(options, async (stage: PanelStage, host, world: PanelWorld) => {
      const panel = await open(stage, host)
      for (const trial of world.given) await run(stage, panel, trial)
    }),
  ]
}

function specOf({ subject }: PanelStage): PanelManifest | undefined {
  return subject.manifest.contributes.panels.find(({ id }) => id === subject.contribution)
}

/** The forms in which the answer of each method is drawn. */
function drawn(spec: PanelManifest | undefined): ReadonlyMap<string, ReadonlySet<keyof PanelAnswers>> {
  const forms = new Map((spec?.methods ?? []).map(({ name, changes }) => [name, new Set<keyof PanelAnswers>(changes ? ['action'] : [])]))
  for (const block of spec?.pages.flatMap(({ blocks }) => blocks) ?? [])
    if (block.from !== undefined) forms.get(block.from)?.add(block.type)
  return forms
}

async function open(stage: PanelStage, host: TestContext): Promise<OpenPanel> {
  return await stage.within(stage.plugin.entry.open(host.context, stage.call()), 'open')
}

/** As the host asks it: defaults filled in, and only where all fits. */
async function run(stage: PanelStage, panel: OpenPanel, trial: PanelTrial, signal?: AbortSignal): Promise<unknown> {
  const schema = specOf(stage)?.methods.find(({ name }) => name === trial.method)?.input
  const input = fillDefaults(schema, trial.input ?? {}) as PanelRecord
  const misfit = findMisfit(schema, input)
  stage.expect(misfit === undefined, `what is given to ${trial.method} is no input of it: ${misfit}`)
  return await stage.within(panel.run({ ...trial, input }, stage.call(signal)), trial.method)
}

async function checkAnswers(stage: PanelStage, world: PanelWorld): Promise<void> {
  const forms = drawn(specOf(stage))
  const untried = [...forms.keys()].filter((name) => !world.given.some(({ method }) => method === name))
  stage.expect(untried.length === 0, lacks(untried.join(', ')))
  const panel = await open(stage, stage.host(world))
  for (const trial of world.given) {
    const shapes = [...(forms.get(trial.method) ?? [])]
    const isFiltered = trial.input !== undefined && !shapes.includes('action')
    for (const asked of isFiltered ? [trial, { ...trial, input: {} }] : [trial]) {
      const answer = await run(stage, panel, asked)
      for (const type of shapes) {
        const misfit = findAnswerMisfit(type, answer)
        stage.expect(misfit === undefined, `what ${trial.method} answers cannot be drawn as ${type}: ${misfit}`)
      }
    }
  }
}

async function checkAbort(stage: PanelStage, world: PanelWorld): Promise<void> {
  const { net } = stage.subject.manifest.permissions
  stage.expect(world.slow !== undefined || (net?.value ?? 'none') === 'none', lacks('slow'))
  if (!world.slow) return requireQuick(stage, world, 'slow')
  const { control } = stage.plugin
  const panel = await open(stage, stage.host(world))
  const controller = new AbortController()
  const running = run(stage, panel, world.slow, controller.signal).then(
    () => 'answered',
    () => 'rejected',
  )
  await stage.until(async () => (await control.busy()) === 1, 'the method did not start')
  controller.abort()
  stage.expect((await running) === 'rejected', 'an aborted method was answered')
  await stage.until(async () => (await control.busy()) === 0, 'the method goes on after abort')
}
