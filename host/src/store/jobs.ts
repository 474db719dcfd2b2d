import type { InboundMessage, WireError } from '@agent/plugin-sdk'

/** `run`: it is made up for, once. `skip`: it is only written down. `tell`: those who wait for the job hear of it. */
export type MissedRule = 'run' | 'skip' | 'tell'

/** Somebody on a messaging platform who made or changed a job, as the platform named them then. */
export interface JobPerson extends Pick<InboundMessage, 'account' | 'conversation' | 'sender'> {
  readonly platform: string
}

/** What a job keeps of those who made and changed it: a run has no more rights than each of them. */
export interface JobHands {
  /** The door through which it was made: a run has no more toolsets than that. Absent: those that runs have. */
  readonly door?: string
  /** Further doors through which it was changed, which narrow it as well. */
  readonly doors?: readonly string[]
  /** Each of them must still be let in when a run begins; the last one changed it last. Absent where nobody did from a platform. */
  readonly people?: readonly JobPerson[]
}

/** A program that the owner of this machine gave to a job, as it was then: what changes the file does not change the job. */
export interface JobScript {
  readonly name: string
  readonly text: string
}

/** What a person or the agent says about a job. */
export interface JobSpec extends JobHands {
  readonly name: string
  /** What the agent is asked at each run. */
  readonly prompt: string
  /** As it was written: `0 9 * * 1-5`, `every 30m`, `2026-05-01T08:00`. */
  readonly schedule: string
  /** IANA name of the zone in which the schedule is meant. */
  readonly zone: string
  readonly missed: MissedRule
  readonly skills: readonly string[]
  /** Ids of jobs of the same owner, whose last answers a run is given. */
  readonly contextFrom?: readonly string[] | undefined
  /** It is run in place of the agent. */
  readonly script?: JobScript | undefined
  /** Ids of the toolsets that a run has; absent: all that runs may have. */
  readonly toolsets?: readonly string[]
  /** `origin`, `local`, `all`, `<platform>`, `<platform>:<conversation>`, or several of them with commas. */
  readonly deliver: string
  /** Key of the session in which it was made; absent at the terminal. */
  readonly origin?: string
  /** Whose memory a run may use. */
  readonly owner: string
  readonly provider?: string
  readonly model?: string
  /** After so many runs the job is done; absent: never. */
  readonly repeat?: number
  /** A run that has done nothing for so long is ended. */
  readonly timeoutSeconds: number
}

/** `done`: it has no due time any more. */
export type JobState = 'scheduled' | 'paused' | 'done'

export interface CronJob extends JobSpec {
  readonly id: string
  readonly state: JobState
  /** The next due time; null unless it is scheduled. */
  readonly nextAt: number | null
  /** How many due times were run. */
  readonly completed: number
  /** An interval counts from here. */
  readonly anchorAt: number
  readonly createdAt: number
  /** Why nobody paused it and it is paused all the same. */
  readonly pausedWhy?: string | undefined
}

/**
 * `waiting`: asked for now, or tried again at `retryAt`. `skipped`: the run before was still going on. `missed`: no gateway ran then.
 * `lost`: its gateway died, and nobody knows how far it came.
 */
export type RunState = 'waiting' | 'running' | 'ok' | 'failed' | 'skipped' | 'missed' | 'lost'

/**
 * What became of the answer, whatever became of the run. `none`: there is nothing to be said. `local`: it is only kept. `silent`: the agent
 * wanted nothing to be said. `pending`: it is still to be queued. `queued`: a platform is to send it.
 */
export type RunDelivery = 'none' | 'local' | 'silent' | 'pending' | 'queued' | 'sent' | 'failed'

export interface JobRun {
  readonly seq: number
  readonly job: string
  readonly dueAt: number
  /** `asked`: a person wanted it now. */
  readonly cause: 'due' | 'asked'
  /** How many further due times it stands for, which passed while no gateway ran. */
  readonly collapsed: number
  readonly state: RunState
  readonly attempts: number
  readonly owner: string | null
  readonly retryAt: number | null
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly session: string | null
  readonly output: string
  readonly error: WireError | null
  readonly delivery: RunDelivery
  readonly deliveryError: WireError | null
}

/** A due time that belongs to `owner` until it is concluded or the owner dies. */
export interface RunClaim {
  readonly run: JobRun
  readonly job: CronJob
  /** It took the place of an attempt that waited, whose notice is to be queued. */
  readonly tells?: boolean
}

/** One due time, and what comes after it. */
export interface DueTime {
  readonly dueAt: number
  /** null: there is none any more. */
  readonly nextAt: number | null
  readonly collapsed: number
}

export interface RunEnd {
  readonly state: 'ok' | 'failed'
  readonly output: string
  readonly session: string | null
  readonly error: WireError | null
  /** `pending` lets it be queued. */
  readonly delivery: 'none' | 'local' | 'silent' | 'pending'
}

/** The door of runs of jobs, as session lists show it. */
export const runDoor = 'cron'

/**
 * Jobs and their runs. Each verb is atomic and durable when its promise resolves. Owners are boot ids that hold a lease under their own name.
 * A due time is claimed by one owner and is run at most once: what a dead owner had claimed is `lost`, and the next due time is run as usual.
 */
export interface Jobs {
  /** One of the same owner, name and schedule that is not done is the same job: it takes what is new. An interval counts from `anchorAt`, or from now. */
  add(spec: JobSpec, nextAt: number | null, anchorAt?: number): Promise<{ readonly job: CronJob; readonly isNew: boolean }>
  /** By name; `owner` narrows it. */
  list(owner?: string): Promise<readonly CronJob[]>
  find(id: string): Promise<CronJob | undefined>
  /** `change` is synchronous and may be run twice. undefined where there is no such job. */
  change(id: string, change: (job: CronJob) => CronJob): Promise<CronJob | undefined>
  /** With its runs; one that runs now is concluded by nobody. */
  remove(id: string): Promise<boolean>
  /** When something is due next; null where nothing is. */
  nextDue(): Promise<number | null>
  /** Jobs that are due, earliest first. */
  due(now: number, most: number): Promise<readonly CronJob[]>
  /** Takes a due time; it is `skipped` while another run of the job goes on. null where another owner was faster, or the job was changed. */
  claim(job: string, due: DueTime, owner: string): Promise<RunClaim | null>
  /** Writes down that a due time was missed. `tell` leaves its notice to be queued. */
  miss(job: string, due: DueTime, how: { readonly tell: boolean }): Promise<JobRun | null>
  /** Asks for a run out of turn, or gives the one that was asked for and still waits; undefined where there is no such job. */
  ask(job: string, at: number): Promise<JobRun | undefined>
  /** The oldest run that waits and whose time has come, of a job that does not run now. */
  claimWaiting(owner: string, now: number): Promise<RunClaim | null>
  /** Ends a run; false where it is not the caller's any more, or its job was removed. Keeps the newest `keep` runs of the job, and those that still have something to say. */
  conclude(claim: RunClaim, end: RunEnd, keep: number): Promise<boolean>
  /** Lets a run wait for another attempt; false as for `conclude`. */
  postpone(claim: RunClaim, until: number, error: WireError): Promise<boolean>
  /** Runs of dead owners become `lost`, with a notice to be queued. `alone`: every other owner is dead. */
  recover(owner: string, options?: { readonly alone?: boolean }): Promise<readonly JobRun[]>
  /** Runs whose delivery is in one of these states, oldest first. */
  deliveries(states: readonly RunDelivery[], most: number): Promise<readonly RunClaim[]>
  /** Writes down what became of the answer of a run. */
  delivered(run: number, delivery: RunDelivery, error?: WireError): Promise<void>
  /** The newest runs first; of one job, of the jobs of one owner, or of all. */
  history(most: number, of?: { readonly job?: string | undefined; readonly owner?: string | undefined }): Promise<readonly JobRun[]>
  /** The newest run of each job. */
  newest(): Promise<readonly JobRun[]>
  /** Called after a commit of this process that changed when something is due. */
  onChange(listener: () => void): () => void
}
