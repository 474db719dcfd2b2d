import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/calls/call.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { Toolsets } from './open-toolsets.ts'

interface SetUpParts {
  readonly catalog: Pick<Catalog, 'of'>
  readonly toolsets: Pick<Toolsets, 'setUp'>
  readonly clock: Clock
}

/** Programs may have to be fetched for it. */
const longestMs = 1_800_000

/** Rejects with UNSUPPORTED where the toolset is not in use, or has nothing to set up. */
export async function setUpToolset({ catalog, toolsets, clock }: SetUpParts, id: string, signal: AbortSignal): Promise<string> {
  const contribution = catalog.of('toolset').find((one) => one.id === id)
  if (contribution?.spec.setUp === undefined) throw fail('UNSUPPORTED', { what: 'a set-up', by: `the toolset ${id.slice(0, 100)}` })
  return callWithin({ clock, signal, deadline: longestMs, what: `The set-up of ${id}` }, (call) => toolsets.setUp(contribution, call))
}
