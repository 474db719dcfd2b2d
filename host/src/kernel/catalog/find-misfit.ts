import { fitsRange } from './version-range.ts'

/** Versions of the contracts that this host serves. */
export const served: readonly number[] = [1]

/** What a plugin says of the hosts that it runs on. */
export interface Wants {
  readonly kinds: readonly string[]
  readonly api: Readonly<Record<string, number>>
  readonly engines: { readonly agent: string; readonly node: string }
}

/** Why a plugin that is not installed would not run here, in words that follow its name; undefined where nothing speaks against it. */
export function findMisfit(
  { kinds, api, engines }: Wants,
  versions: { readonly agent: string; readonly node: string },
): string | undefined {
  const kind = kinds.find((each) => !served.includes(api[each] ?? 0))
  if (kind !== undefined) {
    const written = api[kind] === undefined ? 'for no named version' : `for version ${api[kind]}`
    return `was written ${written} of the contract ${kind}, and this agent serves ${served.join(' and ')}`
  }
  if (!fitsRange(versions.node, engines.node)) return `wants Node ${engines.node}, and this is ${versions.node}`
  if (!fitsRange(versions.agent, engines.agent)) return `wants agent ${engines.agent}, and this is ${versions.agent}`
  return undefined
}
