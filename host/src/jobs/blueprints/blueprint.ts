/** One thing that a person fills in. `default` holds where nothing is said; an empty one has to be filled, unless the slot is optional. */
export interface BlueprintSlot {
  readonly name: string
  readonly type: 'time' | 'enum' | 'text' | 'weekdays'
  readonly label: string
  readonly default: string
  readonly options?: readonly string[]
  readonly optional?: boolean
  readonly help?: string
  /** False: the options are hints, and other values are taken too. */
  readonly strict?: boolean
}

/** A template for jobs. Its slots are the one source of all its forms. */
export interface Blueprint {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly category: string
  /** `{name}` stands for a slot; a slot for a time gives `{hour}` and `{minute}`, one for days `{dow}`. */
  readonly schedule_template: string
  readonly prompt_template: string
  readonly slots: readonly BlueprintSlot[]
  readonly skills: readonly string[]
  readonly tags: readonly string[]
}

/** What a person fills in, by slot. */
export type SlotValues = Readonly<Record<string, string>>
