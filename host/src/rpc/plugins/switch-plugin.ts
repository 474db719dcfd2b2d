import { existsSync } from 'node:fs'
import { setConfigValue } from '#config/edit.ts'
import type { Listed } from '#kernel/catalog/catalog.ts'
import type { ReasonCode } from '#kernel/reasons.ts'
import { quarantineIn } from '#store/quarantine.ts'
import { askReload } from '../gateway/reload-gateway.ts'
import { openCatalog } from '../home/open-catalog.ts'
import { openHomeOf } from '../home/open-home-of.ts'
import { withStore } from '../home/open-home-store.ts'
import type { HomeContext } from '../home-context.ts'
import { describeFix } from './explain-plugin.ts'
import { findPlugin } from './find-plugin.ts'

export interface Switched {
  /** As it is now. */
  readonly plugin: Listed
  readonly said: readonly string[]
  /** A running gateway has taken it over. */
  readonly live: boolean
}

/** Writes the one switch of a plugin, and says what that has changed. */
export async function switchPlugin(context: HomeContext, word: string, to: 'on' | 'off'): Promise<Switched> {
  const before = await openCatalog(context)
  const { id } = findPlugin(before.catalog, word)
  // The home is made when there is none yet.
  const home = openHomeOf(context)
  const target = { home, processEnvironment: context.environment }
  setConfigValue(target, `plugins.entries.${id}.enabled`, String(to === 'on'))
  if (to === 'on' && existsSync(home.files.state)) await withStore(context, (store) => quarantineIn(store.kv).delete(id))
  const { said, live } = await askReload(context, home)
  const plugin = findPlugin((await openCatalog(context)).catalog, id)
  const still = to === 'on' && plugin.reason ? [`It does not run yet: ${plugin.reason.text}.`, ...describeFix(plugin)] : []
  return { plugin, live, said: [`${id} is ${to} (plugins.entries.${id}.enabled in ${home.files.config}).`, ...said, ...still] }
}

const switchedOff: ReadonlySet<ReasonCode> = new Set<ReasonCode>(['disabled', 'denied', 'not-enabled', 'safe-mode'])

/** It is wanted, also where it lacks something. */
export function isSwitchedOn({ reason }: Pick<Listed, 'reason'>): boolean {
  return reason === undefined || !switchedOff.has(reason.code)
}
