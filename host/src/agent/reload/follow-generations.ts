import type { Clock, Log } from '@agent/plugin-sdk'
import type { Activator } from '#kernel/activate.ts'
import { type Contribution, hasCode } from '#kernel/catalog.ts'
import type { ExtensionHosts } from '#kernel/extension-host/extension-hosts.ts'
import type { Models } from '#models/open.ts'
import type { Toolbox } from '#tools/toolbox.ts'
import type { Web } from '#tools/web/web.ts'
import type { PluginCommands } from '../plugin-commands.ts'
import type { AgentTurns } from '../turns.ts'
import type { Candidate, Generations } from './generations.ts'

export interface FollowOptions {
  readonly toolbox: Pick<Toolbox, 'renew' | 'retire'>
  readonly web: Pick<Web, 'retire'>
  readonly models: Pick<Models<Contribution<'provider'>>, 'retire'>
  readonly commands: Pick<PluginCommands, 'retire'>
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
export function followGenerations(generations: Generations, options: FollowOptions): Generations {
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
      void retireAll(options, outgoing.filter(hasCode).filter(isNoPlatform), before)
    },
  }
}

/** New code and new settings are loaded in a new child, beside the old one. */
function renewChildren({ hosts }: FollowOptions, { changes }: Candidate): void {
  const isolated = changes.flatMap(({ after }) => (after && hasCode(after) && hosts?.isolates(after) ? [after.plugin.manifest.id] : []))
  for (const plugin of new Set(isolated)) hosts?.renew(plugin)
}

async function retireAll(options: FollowOptions, outgoing: readonly Contribution[], before: Promise<void>): Promise<void> {
  if (outgoing.length === 0) return
  const { clock, log, signal } = options
  const over = new AbortController()
  const late = clock.sleep(drainMs, AbortSignal.any([over.signal, signal])).catch(() => undefined)
  await Promise.race([before, late])
  over.abort()
  // Whoever closes the agent ends all of it.
  if (signal.aborted) return
  for (const contribution of outgoing) {
    try {
      await retire(options, contribution)
    } catch (error) {
      log.warn('what was replaced did not end', { plugin: contribution.plugin.manifest.id, error: String(error) })
    }
  }
}

async function retire({ toolbox, web, models, commands, activator }: FollowOptions, contribution: Contribution): Promise<void> {
  if (isKind(contribution, 'toolset')) await toolbox.retire(contribution)
  if (isKind(contribution, 'web-backend')) await web.retire(contribution)
  if (isKind(contribution, 'provider')) await models.retire(contribution)
  if (isKind(contribution, 'commands')) await commands.retire(contribution)
  await activator.retire(contribution)
}

function isNoPlatform({ kind }: Contribution): boolean {
  return kind !== 'platform'
}

function isKind<Kind extends Contribution['kind']>(contribution: Contribution, kind: Kind): contribution is Contribution<Kind> {
  return contribution.kind === kind
}
