import type { Clock } from '@agent/plugin-sdk'
import type { Loaded } from '#config/file/loaded.ts'
import { keepShortly } from '../settings/keep-shortly.ts'
import type { RuleReader } from './changed-rules.ts'
import { noRules, type Rules, readRules } from './read-rules.ts'

interface RulesParts {
  readonly loaded: Pick<Loaded, 'config'>
  readonly options: { readonly ignoreRules?: boolean; readonly safeMode?: boolean }
  /** `<home>/SOUL.md`. */
  readonly identity: string
  readonly workspace: string
  readonly clock: Clock
}

/** What sessions begin with, and what is read again in those that were made shorter. */
export function makeRules({ loaded, options, identity, workspace, clock }: RulesParts): {
  readonly atStart: () => Rules
  readonly reader: RuleReader
} {
  const hasRules = (): boolean => loaded.config.agent.rule_files && !options.ignoreRules && !options.safeMode
  return {
    atStart: keepShortly(
      clock,
      () => String(hasRules()),
      () => (hasRules() ? readRules({ identity, workspace }) : noRules),
    ),
    reader: { workspace, now: () => (hasRules() ? readRules({ workspace }) : undefined) },
  }
}
