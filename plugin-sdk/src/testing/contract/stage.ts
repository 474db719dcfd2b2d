import { isDeepStrictEqual } from 'node:util'
import type { AuxiliaryModels, ToolContext } from '../../contract/context.ts'
import { type AgentError, fail, toWireError } from '../../contract/errors.ts'
import type { Images } from '../../contract/image.ts'
import { isOverWithin } from '../../contract/time-limit.ts'
import type { Call } from '../../contract/wire.ts'
import type { CodeKind } from '../../kinds/kinds.ts'
import type { Manifest } from '../../kinds/manifest.ts'
import { fillSettings, settingsSchema } from '../rig/fill-settings.ts'
import { findMisfit } from '../rig/find-misfit.ts'
import { settle } from '../rig/settle.ts'
import type { OpenedPlugin, Subject } from '../rig/subject.ts'
import { createSystemClock } from '../rig/system-clock.ts'
import { openTestContext, type TestContext, type TestContextOptions } from '../rig/test-context.ts'
import { findErrorProblem } from './errors/error-problem.ts'

/** One case of a contract suite; any test runner can register it. */
export interface ContractCase {
  /** The family, such as `abort` or `receipts`. */
  readonly rule: string
  readonly title: string
  /** Rejects with CONTRACT_BROKEN. Answers why the rule could not be tried, where the world lacks a part for it. */
  run(): Promise<string | undefined>
}

/** With what a plugin is set up for a case. */
export interface SetUp {
  readonly config: unknown
  readonly secrets?: Readonly<Record<string, string>>
  /** The web of `context.web`. */
  readonly web?: Partial<ToolContext['web']>
  /** The pictures of `context.images`. */
  readonly images?: Images
  /** The models of `context.models`. */
  readonly models?: AuxiliaryModels
  /** Nothing that the plugin does takes long, so that nothing can be given up: `abort` needs no part of the world then. */
  readonly quick?: true
  /** Is told where the plugin can be called, once it listens there. */
  readonly onListen?: (url: string) => void
}

/** A plugin on trial: what a rule needs to drive it and to complain. */
export interface Stage<Kind extends CodeKind> {
  readonly subject: Subject<Kind>
  readonly plugin: OpenedPlugin<Kind>
  call(signal?: AbortSignal): Call
  host(setUp: SetUp, more?: Pick<TestContextOptions, 'turn'>): TestContext
  /** Leaves the rule untried, because the world has no such part. */
  untried(part: string): void
  /** Breaks the rule unless `holds`. */
  expect(holds: boolean, problem: string): asserts holds
  /** Breaks the rule when it takes longer than a plugin may take. */
  within<T>(work: Promise<T>, what: string): Promise<T>
  /** Waits until it holds. */
  until(holds: () => boolean | Promise<boolean>, problem: string): Promise<void>
  /** The coded error with which `work` has to reject. */
  rejection(work: Promise<unknown>, what: string): Promise<AgentError>
}

/** What every suite needs. */
export interface RunOptions<Kind extends CodeKind> {
  readonly subject: Subject<Kind>
  /** How long a plugin may take for anything, in milliseconds of real time. */
  readonly patienceMs?: number
  /** Is told what the plugin has logged and written in a case, line by line. */
  readonly onLog?: (line: string) => void
}

/** What a suite of a kind without code reads. */
export interface ReadOptions {
  /** Folder of the plugin. */
  readonly root: string
  readonly manifest: Manifest
  readonly contribution: string
}

/** Runs one rule on a fresh plugin and takes everything down again. */
export async function onStage<Kind extends CodeKind>(
  { subject, patienceMs = 5000, onLog = () => undefined }: RunOptions<Kind>,
  rule: string,
  act: (stage: Stage<Kind>) => Promise<void>,
): Promise<string | undefined> {
  const hosts: TestContext[] = []
  let lacking: string | undefined
  const plugin = await subject.open()
  const expect = (holds: boolean, problem: string): void => {
    if (!holds) throw fail('CONTRACT_BROKEN', { plugin: subject.manifest.id, rule, problem })
  }
  const within = async <T>(work: Promise<T>, what: string): Promise<T> => {
    const isOver = await isOverWithin({ clock: createSystemClock(), ms: patienceMs }, work)
    expect(isOver, `${what} did not end`)
    return await work
  }
  const stage: Stage<Kind> = {
    subject,
    plugin,
    within,
    expect,
    untried: (part) => {
      lacking = lacks(part)
    },
    call: (signal = new AbortController().signal) => ({ id: 'call_1', signal, deadline: 60_000 }),
    host: (setUp, more = {}) => {
      const { manifest, contribution } = subject
      const config = fillSettings(subject, setUp.config)
      const misfit = findMisfit(settingsSchema(subject), config)
      expect(misfit === undefined, `the settings of the world do not fit: ${misfit}`)
      const host = openTestContext({ manifest, contribution, ...setUp, config, ...more })
      hosts.push(host)
      return host
    },
    until: (holds, problem) => poll(holds, patienceMs, () => expect(false, problem)),
    rejection: async (work, what) => {
      const error = await within(
        work.then(
          () => undefined,
          (reason: unknown) => reason,
        ),
        what,
      )
      expect(error !== undefined, `${what} did not fail`)
      const problem = findErrorProblem(toWireError(error))
      expect(problem === undefined, `the error of ${what} ${problem}`)
      return error as AgentError
    },
  }
  try {
    await act(stage)
    return lacking
  } finally {
    await plugin[Symbol.asyncDispose]()
    for (const line of [...hosts.flatMap(({ lines }) => lines), ...plugin.said().split('\n')]) if (line !== '') onLog(line)
    await Promise.all(hosts.map((host) => host.close()))
  }
}

/** Why a part has to be there: without it a rule would hold for every plugin. */
export function lacks(part: string): string {
  return `the world of the tests lacks ${part}, so that nothing is proved`
}

async function poll(holds: () => boolean | Promise<boolean>, ms: number, late: () => void): Promise<void> {
  for (const end = Date.now() + ms; !(await holds()); ) {
    if (Date.now() > end) return late()
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** Makes rules of a kind, each tried in a fresh world on a fresh plugin. */
export function rulesOf<Kind extends CodeKind, World extends AsyncDisposable>(
  options: RunOptions<Kind> & { readonly world: () => Promise<World> },
): (rule: string, title: string, act: (stage: Stage<Kind>, world: World) => Promise<void>) => ContractCase {
  return (rule, title, act) => ({
    rule,
    title: `${title} (${options.subject.place})`,
    run: async () => {
      await using world = await options.world()
      return await onStage(options, rule, (stage: Stage<Kind>) => act(stage, world))
    },
  })
}

/** What every kind of plugin owes, with `use` as a short working life of it. */
export function commonRules<Kind extends CodeKind, World extends SetUp & AsyncDisposable>(
  options: RunOptions<Kind> & { readonly world: () => Promise<World> },
  use: (stage: Stage<Kind>, host: TestContext, world: World) => Promise<void>,
  /** What goes wrong in such a life, after which no secret is in the log either. */
  trouble: (stage: Stage<Kind>, host: TestContext, world: World) => Promise<void> = async () => undefined,
): readonly ContractCase[] {
  const rule = rulesOf(options)
  return [
    rule('border', 'everything that crosses is JSON or bytes', async (stage: Stage<Kind>, world) => {
      await use(stage, stage.host(world), world)
      const [violation = ''] = await stage.plugin.control.violations()
      stage.expect(violation === '', violation)
    }),
    rule('life', 'it can be used and ended twice and leaves nothing behind', async (stage: Stage<Kind>, world) => {
      const { control } = stage.plugin
      let before: readonly string[] = []
      for (let round = 0; round < 2; round += 1) {
        await use(stage, stage.host(world), world)
        const problems = await stage.within(control.dispose(), 'ending it')
        stage.expect(problems.length === 0, `an effect could not be undone: ${problems.join(', ')}`)
        await stage.until(async () => (await control.busy()) === 0, 'a call still runs after its end')
        if (round === 0) before = await settle(control)
      }
      stage.expect(isDeepStrictEqual(await settle(control), before), `it keeps more open after each life: ${await control.resources()}`)
    }),
    rule('secrets', 'no secret is logged', async (stage: Stage<Kind>, world) => {
      const host = stage.host(world)
      await use(stage, host, world)
      await trouble(stage, host, world)
      await stage.plugin.control.dispose()
      const text = host.lines.join('\n') + stage.plugin.said()
      const leak = findLeak(stage.subject, world.secrets, text)
      stage.expect(leak === undefined, `the value of ${leak} is in the log`)
    }),
  ]
}

/** What a plugin waits for that asks the host for it: people, models and other tools take their time. */
const slowVerbs = new Set(['turns.run', 'clarify', 'web', 'images', 'models', 'agents.run', 'tools.call', 'mcp', 'sandbox'])

/** Leaves `abort` untried for want of a part of the world, unless nothing takes long; breaks it where a plugin asks for what does. */
export function requireQuick<Kind extends CodeKind>(stage: Stage<Kind>, { quick }: SetUp, part: string): void {
  if (!quick) {
    stage.untried(part)
    return
  }
  const { net, run, host } = stage.subject.manifest.permissions
  const slow = [
    ...((net?.value ?? 'none') === 'none' ? [] : ['permissions.net']),
    ...((run?.value.length ?? 0) === 0 ? [] : ['permissions.run']),
    ...(host?.value ?? []).filter((verb) => slowVerbs.has(verb)),
  ]
  stage.expect(slow.length === 0, `the world says that nothing takes long, and the plugin asks for ${slow.join(', ')}: ${lacks(part)}`)
}

/** The name of a secret whose value stands in a text. */
export function findLeak({ manifest }: Pick<Subject<CodeKind>, 'manifest'>, secrets: SetUp['secrets'], text: string): string | undefined {
  const harmless = new Set(manifest.env.filter(({ secret }) => !secret).map(({ name }) => name))
  const [name] = Object.entries(secrets ?? {}).find(([each, value]) => !harmless.has(each) && value !== '' && text.includes(value)) ?? []
  return name
}
