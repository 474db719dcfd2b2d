import { type Clock, type CodeKind, isOverWithin, type Log } from '@agent/plugin-sdk'
import type { Activator } from '#kernel/activation/activate.ts'
import { type Contribution, hasCode } from '#kernel/catalog/catalog.ts'
import { hostRow } from '#kernel/catalog/kind-rows.ts'
import type { ExtensionHosts } from '#kernel/extension-host/extension-hosts.ts'
import type { Toolbox } from '#tools/toolbox/toolbox.ts'
import type { Candidate, Generations } from './reload/generations.ts'
import type { AgentTurns } from './turn/turns.ts'

export interface FollowGenerationsOptions {
  readonly toolbox: Pick<Toolbox, 'renew'>
  /** Who has opened contributions of a kind, and ends what was replaced or removed. */
  readonly consumers: { readonly [Kind in CodeKind]?: { retire(contribution: Contribution<Kind>): Promise<void> } }
  readonly turns: Pick<AgentTurns, 'settled'>
  readonly activator: Pick<Activator, 'retire'>
  readonly hosts: Pick<ExtensionHosts, 'isolates' | 'renew'> | undefined
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** How long turns that began before may still use what was replaced. */
const drainMs = 10_000

/** The same generations; toolsets and providers follow them: turns that begin afterwards have the new ones, and what was replaced ends after the others. */
export function followGenerations(generations: Generations, options: FollowGenerationsOptions): Generations {
  return {
    ...generations,
    prepare: async () => {
      const candidate = await generations.prepare()
      renewChildren(options, candidate)
      return candidate
    },
    adopt: (candidate, kept) => {
      const before = options.turns.settled()
      generations.adopt(candidate, kept)
      options.toolbox.renew()
      const outgoing = candidate.changes.flatMap((change) => (change.before && !kept.has(change.key) ? [change.before] : []))
      void retireAll(
        options,
        outgoing.filter(hasCode).filter(({ kind }) => hostRow(kind).reload === 'reopen'),
        before,
      )
    },
  }
}

/** New code and new settings are loaded in a new child, beside the old one. */
function renewChildren({ hosts }: FollowGenerationsOptions, { changes }: Candidate): void {
  const isolated = changes.flatMap(({ after }) => (after && hasCode(after) && hosts?.isolates(after) ? [after.plugin.manifest.id] : []))
  for (const plugin of new Set(isolated)) hosts?.renew(plugin)
}

async function retireAll(options: FollowGenerationsOptions, outgoing: readonly Contribution[], before: Promise<void>): Promise<void> {
  if (outgoing.length === 0) return
  const { clock, log, signal } = options
  await isOverWithin({ clock, signal, ms: drainMs }, before)
  // Closing the agent ends all of it.
  if (signal.aborted) return
  for (const contribution of outgoing) {
    try {
      await retire(options, contribution)
    } catch (error) {
      log.warn('what was replaced did not end', { plugin: contribution.plugin.manifest.id, error: String(error) })
    }
  }
}

async function retire({ consumers, activator }: FollowGenerationsOptions, contribution: Contribution): Promise<void> {
  await consumers[contribution.kind]?.retire(contribution as never)
  await activator.retire(contribution)
}
