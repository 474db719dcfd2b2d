import type { Call, CommandSandbox, TurnEvent } from '@agent/plugin-sdk'
import type { DoorRequest } from '../../../host/src/agent/turn/prepare-turn.ts'
import { openScheduler } from '../../../host/src/gateway/jobs/open-scheduler.ts'
import { silentLog } from '../../../host/src/observe/silent-log.ts'
import type { Jobs } from '../../../host/src/store/jobs.ts'
import type { Store } from '../../../host/src/store/store.ts'
import type { YearClock } from './clock.ts'

/** What was done about a due time, in the order in which it was. */
export interface Handled {
  readonly job: string
  readonly dueAt: number
  readonly wall: number
  readonly step: number
}

/** What all gateways of the year share. */
export interface Stage {
  readonly clock: YearClock
  readonly handled: Handled[]
  /** Due times whose work was begun, once for each time. */
  readonly executed: string[]
  step(): number
  /** So many things are being done that somebody waits for. */
  busy: number
}

export interface YearGateway {
  readonly alive: boolean
  /** It dies at one of its next dealings with the store or the agent. */
  killSoon(dealings: number): void
}

export const dueKey = (job: string, dueAt: number): string => `${job} ${dueAt}`

const never = new Promise<never>(() => undefined)

/** The scheduler of a gateway over its own connection to the store. Once it is killed nothing of it comes back, neither from the store nor from its sleep. */
export async function startGateway(stage: Stage, store: Store, owner: string): Promise<YearGateway> {
  let left = Number.POSITIVE_INFINITY
  const isAlive = (): boolean => left > 0
  const dead = (): Promise<never> => {
    left = 0
    return never
  }
  /** One dealing; the kill comes before it or after it. */
  const deal = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (left-- <= 1) return dead()
    stage.busy++
    const value = await work().finally(() => stage.busy--)
    return isAlive() && left-- > 1 ? value : dead()
  }
  const claims = new Map<string, number>()
  const shared = { clock: clockOf(stage.clock, isAlive), jobs: watch(stage, store.jobs, deal, claims) }
  void openScheduler({
    ...{ store: { jobs: shared.jobs }, owner, clock: shared.clock, log: silentLog },
    turns: { run: (request: DoorRequest, call: Call) => answer(stage, claims, deal, request, call) },
    ...settings,
  } as unknown as Parameters<typeof openScheduler>[0])
  return {
    get alive() {
      return isAlive()
    },
    killSoon: (dealings) => {
      left = Math.min(left, dealings)
    },
  }
}

type Deal = <Value>(work: () => Promise<Value>) => Promise<Value>

/** Settings and neighbours of the scheduler, as far as this year needs them: all answers are only kept. */
const settings = {
  loaded: { config: { cron: { max_parallel_jobs: 3, output_retention: 1_000_000, wrap_response: true } } },
  catalog: { plugins: [], of: () => [], find: () => undefined },
  journal: { post: async () => undefined, posted: async () => [] },
  replies: { unasked: async () => [] },
  rules: { of: () => ({ settings: {} }) },
  directory: { list: async () => [] },
  inbox: { refusalOf: () => undefined },
  services: { skills: { known: () => [], view: async () => '', bundle: async () => ({ skills: [], instruction: '' }) } },
  commandSandboxes: { own: (): Pick<CommandSandbox, 'prepare'> => ({ prepare: () => never }) },
}

function clockOf(clock: YearClock, isAlive: () => boolean): Pick<YearClock, 'now' | 'sleep'> {
  return { now: clock.now, sleep: (ms, signal) => clock.sleep(ms, signal).then(() => (isAlive() ? undefined : never)) }
}

/** The store as this gateway sees it, with notes of what becomes of each due time. */
function watch(stage: Stage, jobs: Jobs, deal: Deal, claims: Map<string, number>): Jobs {
  const note = (job: string, dueAt: number): void => {
    stage.handled.push({ job, dueAt, wall: stage.clock.now(), step: stage.step() })
  }
  return {
    ...jobs,
    nextDue: () => deal(() => jobs.nextDue()),
    due: (now, most) => deal(() => jobs.due(now, most)),
    claim: (job, due, owner) =>
      deal(async () => {
        const claim = await jobs.claim(job, due, owner)
        if (claim) claims.set(job, due.dueAt)
        const isSkipped = !claim && (await jobs.history(1, { job })).some(({ dueAt, state }) => dueAt === due.dueAt && state === 'skipped')
        if (claim || isSkipped) note(job, due.dueAt)
        return claim
      }),
    miss: (job, due, how) =>
      deal(async () => {
        const run = await jobs.miss(job, due, how)
        if (run) note(job, due.dueAt)
        return run
      }),
    conclude: (claim, end, keep) => deal(() => jobs.conclude(claim, end, keep)),
    recover: (owner, options) => deal(() => jobs.recover(owner, options)),
    history: (most, of) => deal(() => jobs.history(most, of)),
    claimWaiting: (owner, now) => deal(() => jobs.claimWaiting(owner, now)),
    deliveries: (states, most) => deal(() => jobs.deliveries(states, most)),
    delivered: (run, delivery, error) => deal(() => jobs.delivered(run, delivery, error)),
  }
}

/** The agent does the work of a due time, and may be killed before it or after it. */
async function* answer(
  stage: Stage,
  claims: ReadonlyMap<string, number>,
  deal: Deal,
  { input }: DoorRequest,
  _call: Call,
): AsyncIterable<TurnEvent> {
  const [part] = input
  const job = part?.type === 'text' ? (/job (\S+)/.exec(part.text)?.[1] ?? '') : ''
  yield { type: 'message.start', turn: 't', session: 'ses', provider: 'p', model: 'm' }
  await deal(async () => void stage.executed.push(dueKey(job, claims.get(job) ?? 0)))
  yield { type: 'message.complete', text: 'Done.', status: 'complete', stop: 'stop' }
}
