import type { Config } from '#config/schema/schema.ts'
import { firstFor, isPinned } from '#models/auxiliary.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import type { ModelWish } from '#models/select.ts'
import type { Children } from './children.ts'
import type { DelegateOptions } from './delegate.ts'
import type { LeftBehind } from './left-behind.ts'

interface DelegationParts {
  readonly loaded: { readonly config: Pick<Config, 'delegation'> }
  readonly choose: (wish: ModelWish) => ModelChoice
  readonly leftBehind: LeftBehind
  readonly childAgents: Children
}

/** What the settings say of child agents, as they are when one begins. */
export function makeDelegation({
  loaded,
  choose,
  leftBehind: left,
  childAgents: children,
}: DelegationParts): Pick<DelegateOptions, 'settings' | 'choice' | 'children'> & { readonly left: LeftBehind } {
  return {
    left,
    children,
    settings: () => loaded.config.delegation,
    choice: () => (isPinned(loaded.config.delegation) ? firstFor(loaded.config.delegation, choose) : undefined),
  }
}
