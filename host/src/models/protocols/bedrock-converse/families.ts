/** What a family of models takes beyond what all of them take; what is not named is refused by it. */
export interface Family {
  readonly models: RegExp
  /** Where a point may stand up to which the request is kept. */
  readonly cache?: readonly ('tools' | 'system' | 'messages')[]
  /** How a wish for reasoning is told. */
  readonly reasoning?: 'claude' | 'effort' | 'nova'
  /** Takes it that a result of a tool says that it failed. */
  readonly status?: true
}

/** The first that fits holds. An id that names no family, such as an application profile, gets nothing. */
const families: readonly Family[] = [
  { models: /anthropic\.claude-(v2|instant|3-(opus|sonnet|haiku|5-sonnet))/, status: true },
  { models: /anthropic\.claude-3-5-haiku/, cache: ['tools', 'system', 'messages'], status: true },
  { models: /anthropic\.claude/, cache: ['tools', 'system', 'messages'], reasoning: 'claude', status: true },
  { models: /amazon\.nova-2/, cache: ['system', 'messages'], reasoning: 'nova', status: true },
  { models: /amazon\.nova/, cache: ['system', 'messages'], status: true },
  { models: /openai\.gpt-oss/, reasoning: 'effort' },
]

export function familyOf(model: string): Omit<Family, 'models'> {
  return families.find(({ models }) => models.test(model)) ?? {}
}

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0` is `claude-sonnet-4-5-20250929` to its maker. */
export function nameAtMaker(model: string): string {
  return model.replace(/^.*anthropic\./, '').replace(/-v\d+(:\d+)?$/, '')
}
