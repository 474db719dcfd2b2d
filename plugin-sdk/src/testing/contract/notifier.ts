import { isDeepStrictEqual } from 'node:util'
import { toWireError } from '../../contract/errors.ts'
import type { Wire } from '../../contract/wire.ts'
import { findEventMisfit, type NotifierEvent, type NotifierPost, type OpenNotifier } from '../../kinds/notifier.ts'
import type { TestContext } from '../rig/test-context.ts'
import { findErrorProblem } from './errors/error-problem.ts'
import { type ContractCase, commonRules, lacks, type RunOptions, requireQuick, rulesOf, type SetUp, type Stage } from './stage.ts'

interface NotifierTrial {
  readonly name: string
  readonly data: Wire
}

/** What drives a notifier: events that it hears. */
export interface NotifierWorld extends SetUp, AsyncDisposable {
  /** Each is worth a post: at least one for each declared event. Those of the host are as it raises them. */
  readonly events: readonly NotifierTrial[]
  /** An event that is not worth a word, for a notifier that chooses. */
  readonly quiet?: NotifierTrial
  /** A set-up whose models, or whose service, take a question and never answer. */
  readonly silent?: SetUp
}

/** What the suite for notifiers needs. */
export interface NotifierContractOptions extends RunOptions<'notifier'> {
  readonly world: () => Promise<NotifierWorld>
}

type NotifierStage = Stage<'notifier'>

/** The rules of a notifier. */
export function notifierContract(options: NotifierContractOptions): readonly ContractCase[] {
  const rule = rulesOf(options)
  return [
    rule('hear', 'each declared event becomes posts that people can read', checkPosts),
    rule('again', 'an event that is heard again becomes the same posts', checkAgain),
    rule('quiet', 'an event that is not worth a word becomes nothing', checkQuiet),
    rule('strange', 'an event that holds something else becomes nothing or an error with a code', checkStrange),
    rule('abort', 'a notifier that is given up ends, and nothing goes on behind it', checkAbort),
    ...commonRules(options, async (stage: NotifierStage, host, world: NotifierWorld) => {
      const opened = await open(stage, host)
      for (const [index, trial] of world.events.entries()) await hear(stage, opened, eventOf(trial, index))
    }),
  ]
}

async function open(stage: NotifierStage, host: TestContext): Promise<OpenNotifier> {
  return await stage.within(stage.plugin.entry.open(host.context, stage.call()), 'open')
}

const eventOf = ({ name, data }: NotifierTrial, index: number): NotifierEvent => ({
  ...{ id: `evt_${index}`, name, data },
  at: 1_700_000_000_000 + index,
})

const longest = 100_000

async function hear(stage: NotifierStage, opened: OpenNotifier, event: NotifierEvent): Promise<readonly NotifierPost[]> {
  const posts = await stage.within(opened.hear(event, stage.call()), event.name)
  stage.expect(Array.isArray(posts), `${event.name} became no list of posts`)
  for (const { text, isError } of posts) {
    stage.expect(typeof text === 'string' && text.trim() !== '', `a post of ${event.name} has no text`)
    stage.expect(text.length <= longest, `a post of ${event.name} has ${text.length} characters`)
    stage.expect(isError === undefined || typeof isError === 'boolean', `isError of a post of ${event.name} is neither true nor false`)
  }
  return posts
}

async function checkPosts(stage: NotifierStage, world: NotifierWorld): Promise<void> {
  const { manifest, contribution } = stage.subject
  const declared = manifest.contributes.notifiers.find(({ id }) => id === contribution)?.events ?? []
  const untried = declared.filter((name) => !world.events.some((event) => event.name === name))
  stage.expect(untried.length === 0, `the world of the tests has no event for ${untried.join(', ')}, so that nothing is proved`)
  for (const trial of [...world.events, ...(world.quiet ? [world.quiet] : [])]) {
    const misfit = findEventMisfit(trial)
    stage.expect(misfit === undefined, `the host raises no ${trial.name} like that of the world: ${misfit}`)
  }
  const opened = await open(stage, stage.host(world))
  for (const [index, trial] of world.events.entries())
    stage.expect((await hear(stage, opened, eventOf(trial, index))).length > 0, `${trial.name} became no post`)
}

async function checkAgain(stage: NotifierStage, world: NotifierWorld): Promise<void> {
  const opened = await open(stage, stage.host(world))
  for (const [index, trial] of world.events.entries()) {
    const before = await hear(stage, opened, eventOf(trial, index))
    const after = await hear(stage, opened, eventOf(trial, index))
    stage.expect(isDeepStrictEqual(after, before), `${trial.name} was heard again and became other posts`)
  }
}

async function checkQuiet(stage: NotifierStage, world: NotifierWorld): Promise<void> {
  if (!world.quiet) return stage.untried('quiet')
  const posts = await hear(stage, await open(stage, stage.host(world)), eventOf(world.quiet, 0))
  stage.expect(posts.length === 0, `${world.quiet.name} became ${posts.length} posts`)
}

async function checkStrange(stage: NotifierStage, world: NotifierWorld): Promise<void> {
  const opened = await open(stage, stage.host(world))
  for (const [index, { name, data: right }] of world.events.entries())
    for (const data of [null, 'a word', {}, []].filter((each) => !isDeepStrictEqual(each, right))) {
      const posts = await stage.within(
        opened.hear(eventOf({ name, data }, index), stage.call()).catch((error: unknown) => {
          const problem = findErrorProblem(toWireError(error))
          stage.expect(problem === undefined, `the error of ${name} with ${JSON.stringify(data)} ${problem}`)
          return []
        }),
        `${name} with ${JSON.stringify(data)}`,
      )
      stage.expect(posts.length === 0, `${name} with ${JSON.stringify(data)} became a post`)
    }
}

async function checkAbort(stage: NotifierStage, world: NotifierWorld): Promise<void> {
  const {
    silent,
    events: [trial],
  } = world
  const { host, net } = stage.subject.manifest.permissions
  const waits = host?.value.includes('models') === true || (net?.value ?? 'none') !== 'none'
  stage.expect(silent !== undefined || !waits, lacks('silent'))
  if (!silent || !trial) return requireQuick(stage, world, 'silent')
  const { control } = stage.plugin
  const opened = await open(stage, stage.host(silent))
  const controller = new AbortController()
  const hearing = opened.hear(eventOf(trial, 0), stage.call(controller.signal)).then(
    () => 'heard',
    () => 'rejected',
  )
  await stage.until(async () => (await control.busy()) === 1, 'the event was not heard')
  controller.abort()
  stage.expect((await stage.within(hearing, 'an aborted notifier')) === 'rejected', 'an aborted notifier has heard its event')
  await stage.until(async () => (await control.busy()) === 0, 'the notifier goes on after abort')
}
