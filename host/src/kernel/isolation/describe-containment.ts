import type { SandboxLevel } from '../sandbox/sandbox-level.ts'
import type { IsolationSettings } from './permission-set.ts'

const open =
  'any of them can call every address, the doors of the agent included, can end the agent and other programs of yours, and nothing but Node keeps it from your files'

/** What holds the plugins that did not come with agent on this machine, in one sentence and what helps. */
export function describeContainment(level: SandboxLevel, { sandbox: wish = 'auto' }: Pick<IsolationSettings, 'sandbox'>): string {
  if (wish === 'off') return `Plugins of others run without a sandbox, because their sandbox is switched off: ${open}.`
  const lack = describeLack(level)
  if (lack === undefined)
    return 'Plugins of others run in a sandbox: they reach the files and addresses that they declare, and no program beside them.'
  const { reason, fix } = lack
  if (wish === 'required') return `Plugins of others do not run, because plugins.sandbox is required: ${reason}. To get a sandbox, ${fix}.`
  return `Plugins of others run without a sandbox (${reason}): ${open}. To get one, ${fix}.`
}

/** Why no child of plugins can have a sandbox here, and what to do about it. */
export function describeLack(level: SandboxLevel): { readonly reason: string; readonly fix: string } | undefined {
  if (!level.works) return level
  if (level.kind === 'bwrap') return undefined
  return { reason: 'the agent knows no sandbox for plugins on this system', fix: 'run it on Linux' }
}
