/** What the family of blueprints answers; beside `api.ts`, by the same rules. */

/** GET /api/cron/blueprints: templates for jobs, each with its form. */
export interface BlueprintList {
  readonly blueprints: readonly BlueprintCard[]
}

export interface BlueprintCard {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly category: string
  readonly skills: readonly string[]
  readonly tags: readonly string[]
  readonly fields: readonly BlueprintField[]
  /** The same as a line for a conversation, and as a link for the app. */
  readonly slash: string
  readonly link: string
}

export interface BlueprintField {
  readonly name: string
  readonly type: 'time' | 'enum' | 'text' | 'weekdays'
  readonly label: string
  readonly default: string
  readonly options?: readonly string[]
  readonly optional?: boolean
  readonly help?: string
  /** False: the options are hints. */
  readonly strict?: boolean
  readonly required: boolean
}

/** POST /api/cron/blueprints/instantiate {blueprint, slots} fills the slots and makes a job. */
export interface JobMade {
  readonly job: {
    readonly id: string
    readonly name: string
    readonly schedule: string
    readonly zone: string
    readonly nextAt: number | null
  }
  /** False: there was such a job, and it was changed. */
  readonly isNew: boolean
}
