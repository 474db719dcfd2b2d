import type { Call, CommandSandbox, TurnEvent } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import type { DoorRequest } from '#agent/turn/prepare-turn.ts'
import { openEnvironment } from '#config/environment/environment.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { homeOf } from '#config/home/home.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { CronJob, JobRun, JobSpec } from '#store/jobs.ts'
import type { Store } from '#store/store.ts'
import { specOf } from '#store/testing/jobs-contract.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { openScheduler, type Scheduler } from '../jobs/open-scheduler.ts'
import { openReplies } from '../outbound/replies.ts'
import { openPlatformRules } from '../rules/platform-rules.ts'
import { talkSpec } from './talk.ts'

export interface SchedulerRig extends AsyncDisposable {
  readonly clock: FakeClock
  readonly store: Store
  /** What the agent was asked, in order. */
  readonly asked: readonly DoorRequest[]
  /** What it was asked in runs that were broken off. */
  readonly brokenOff: readonly string[]
  /** What was queued so far, with the place it goes to; each is taken as sent. */
  sent(): Promise<readonly string[]>
  /** Lets the oldest run that waits go on. */
  goOn(): void
  add(change: Partial<JobSpec>, inMs: number): Promise<string>
  /** The newest runs first. */
  runs(): Promise<readonly JobRun[]>
  open(owner?: string): Promise<Scheduler>
}

/**
 * The scheduler of a gateway over a real store and one platform `talk`. The agent answers `<prompt>!`; asked to `wait` it stops until it may go on or
 * is interrupted; asked to `go wrong` it fails, to `be away` its model cannot be reached, to `act and be away` only after a tool was called. There is
 * one skill, `tea`.
 */
export async function openSchedulerRig(
  config: Partial<Loaded['config']['cron']> = {},
  refusalOf: (job: CronJob) => string | undefined = () => undefined,
): Promise<SchedulerRig> {
  const place = await createTemporaryStore()
  const clock = createFakeClock(Date.parse('2026-03-01T10:00:00Z'))
  const store = await place.open({ clock })
  const agent = scriptedAgent()
  const opened: Scheduler[] = []
  const settings = { cron: { ...defaultConfig.cron, ...config }, platforms: { talk: { home_channel: 'home' } } }
  const loaded = {
    config: { ...defaultConfig, ...settings },
    environment: openEnvironment({}),
    overriddenBy: () => undefined,
  } as unknown as Loaded
  const home = homeOf(place.folder, 'default')
  const rules = openPlatformRules({ home, loaded, log: silentLog })
  const catalog = catalogOf()
  const shared = { store, journal: store.journal, catalog, loaded, rules, clock, log: silentLog, turns: agent }
  const cache = { path: () => '' } as never
  const replies = openReplies({ ...shared, home, cache, resolve: async () => ({ type: 'local' }) })
  const texts: string[] = []
  return {
    ...{ clock, store, asked: agent.asked, brokenOff: agent.brokenOff, goOn: agent.goOn },
    async sent() {
      for (let send = await store.journal.claimSend('sender'); send; send = await store.journal.claimSend('sender')) {
        texts.push(`${send.message.conversation}: ${send.message.text}`)
        await store.journal.settleSend(send, { status: 'sent', platformId: `${send.seq}` })
      }
      return texts
    },
    add: async (change, inMs) => (await store.jobs.add(specOf({ deliver: 'talk:room', ...change }), clock.now() + inMs)).job.id,
    runs: () => store.jobs.history(50),
    async open(owner = 'boot') {
      await store.leases.hold(owner, owner, 10 ** 9)
      const scheduler = await openScheduler({
        ...shared,
        inbox: { refusalOf },
        owner,
        replies,
        services: { skills: oneSkill },
        directory: { list: async () => [] },
        ...{ home, commandSandboxes: { own: () => bareSandbox } },
      })
      opened.push(scheduler)
      return scheduler
    },
    async [Symbol.asyncDispose]() {
      for (const scheduler of opened) await scheduler.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

/** None: programs are started as they are. */
const bareSandbox: Pick<CommandSandbox, 'prepare'> = {
  prepare: async ({ argv: [file = '', ...args] }) => ({
    file,
    args,
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    contained: false,
    infoPipe: null,
  }),
}

const oneSkill = {
  known: () => [{ name: 'tea', description: 'How to make tea', offered: true }],
  view: async () => 'Boil the water first.',
  bundle: async () => Promise.reject(new Error('none')),
}

function catalogOf(): Catalog {
  const spec = talkSpec({})
  const contribution = { kind: 'platform', id: spec.id, spec }
  const all = [contribution]
  const find = (kind: string, id: string) => all.find((each) => each.kind === kind && each.id === id)
  return { plugins: [], of: (kind: string) => all.filter((each) => each.kind === kind), find } as unknown as Catalog
}

function scriptedAgent() {
  const asked: DoorRequest[] = []
  const brokenOff: string[] = []
  const waiting: (() => void)[] = []
  return {
    ...{ asked, brokenOff },
    goOn: () => waiting.shift()?.(),
    async *run(request: DoorRequest, { signal }: Call): AsyncIterable<TurnEvent> {
      asked.push(request)
      const [part] = request.input
      const text = part?.type === 'text' ? part.text : ''
      yield { type: 'message.start', turn: 't', session: `ses_${asked.length}`, provider: 'p', model: 'm' }
      signal.addEventListener('abort', () => brokenOff.push(text))
      if (text.startsWith('act')) yield { type: 'tool.start', id: 'call', name: 'echo', args: {}, preview: '' }
      if (text === 'wait') await untilLet(waiting, signal)
      const problem = problems[text]?.()
      if (problem) yield problem
      const status = signal.aborted ? 'interrupted' : problem ? 'failed' : 'complete'
      yield { type: 'message.complete', text: problem ? '' : answerTo(text), status, stop: 'stop' }
    },
  }
}

const answerTo = (text: string): string => (text.startsWith('say ') ? text.slice(4) : `${text}!`)

function untilLet(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    signal.addEventListener('abort', () => resolve())
  })
}

const problems: Readonly<Record<string, () => TurnEvent>> = {
  'go wrong': () => errorEvent({ retryable: false }),
  'be away': () => errorEvent({ retryable: true }),
  'act and be away': () => errorEvent({ retryable: true }),
}

function errorEvent({ retryable }: { readonly retryable: boolean }): TurnEvent {
  const error = fail('INTERNAL', { detail: 'it broke' })
  return { type: 'error', error: toWireError(error), text: error.message, retryable }
}
