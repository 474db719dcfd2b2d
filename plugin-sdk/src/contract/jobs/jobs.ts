/** What a tool says about a job; what is absent stays as it was, or is as usual. */
export interface JobWish {
  readonly name?: string | undefined
  /** What the agent is asked at each run. */
  readonly prompt?: string | undefined
  /** `daily at 9:00`, `every 30m`, `in 2h`, a date, or five fields of cron. */
  readonly schedule?: string | undefined
  /** IANA name of the time zone of the schedule. */
  readonly zone?: string | undefined
  readonly missed?: 'run' | 'skip' | 'tell' | undefined
  readonly skills?: readonly string[] | undefined
  /** `origin`, `local`, `all`, a platform, or `platform:conversation`; several with commas. */
  readonly deliver?: string | undefined
  /** Other jobs of the same people, whose last answers a run is given as material. */
  readonly contextFrom?: readonly string[] | undefined
  /** After so many runs the job is done. */
  readonly repeat?: number | undefined
  /** It waits until it is resumed. */
  readonly paused?: boolean | undefined
}

/** A job as a tool sees it. */
export interface JobView {
  readonly id: string
  readonly name: string
  readonly prompt: string
  readonly schedule: string
  readonly zone: string
  readonly state: 'scheduled' | 'paused' | 'done'
  /** The next due time in milliseconds since 1970; null unless it is scheduled. */
  readonly nextAt: number | null
  readonly skills: readonly string[]
  readonly deliver: string
}

/** The jobs of those whom a call serves. A job is named by its id, the beginning of it, or its name. */
export interface ToolJobs {
  /** One of the same name and schedule is the same job. */
  create(wish: JobWish): Promise<JobView>
  list(): Promise<readonly JobView[]>
  edit(job: string, wish: JobWish): Promise<JobView>
  /** `run`: once, as soon as the gateway can. */
  act(job: string, what: 'pause' | 'resume' | 'run' | 'remove'): Promise<JobView>
}
