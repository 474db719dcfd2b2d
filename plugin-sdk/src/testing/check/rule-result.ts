/** What became of one rule for one plugin, or for one of its entries in one place. */
export interface RuleResult {
  /** `static` reads files; `dynamic` runs code of the plugin. */
  readonly stage: 'static' | 'dynamic'
  readonly rule: string
  readonly title: string
  /** `toolset.dice`; absent where the rule is about the plugin as a whole. */
  readonly entry?: string
  /** Where the code ran: `in process` or `in a child`. */
  readonly place?: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped. */
  readonly problem?: string
  /** What the plugin logged and wrote meanwhile; where the check is verbose. */
  readonly log?: readonly string[]
  readonly durationMs: number
}
