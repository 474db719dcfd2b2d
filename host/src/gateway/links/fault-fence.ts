import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import type { UncaughtErrors } from './faults.ts'
import type { Link } from './platform-link.ts'

export interface FenceOptions {
  readonly faults: UncaughtErrors
  /** Names the folders of the plugins. */
  readonly catalog: { readonly plugins: readonly { readonly id: string; readonly root: string }[] }
  /** Those of the plugin whose code it was are made again. */
  readonly links: ReadonlyMap<string, Pick<Link, 'contribution' | 'breakOff'>>
  readonly log: Log
}

/**
 * Errors in timers and events of a plugin end that plugin's connections instead of the process. The files of the stack say whose
 * error it is; asynchronous contexts would say it too, and make every promise of the process three times as dear on Node 20.
 */
export function openFaultFence({ faults, catalog, links, log }: FenceOptions): { close(): void } {
  const pluginOf = (files: readonly string[]) => catalog.plugins.find(({ root }) => files.some((file) => file.startsWith(`${root}${sep}`)))
  const take = (error: unknown): void => {
    const files = filesOf(error)
    const plugin = pluginOf(files)
    // The host's own error: its state is unknown, and what it accepted is in the journal.
    if (!plugin && files.length > 0 && !isAgentError(error)) throw error
    const detail = detailOf(error)
    log.error('nobody caught an error', { plugin: plugin?.id, detail, stack: error instanceof Error ? error.stack : undefined })
    // Without a file it is Node's own, as of a socket that nobody listens to: the platform that is deaf now is found by its silence.
    if (!plugin) return
    const failure = toWireError(fail('PLUGIN_FAILED', { plugin: plugin.id, during: 'its own work', detail }))
    for (const link of links.values()) if (link.contribution.plugin.manifest.id === plugin.id) link.breakOff(failure)
  }
  return { close: faults.add({ owns: (error) => pluginOf(filesOf(error)) !== undefined, take }) }
}

/** The files of a stack, without Node's own. */
function filesOf(error: unknown): readonly string[] {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const frames = stack.matchAll(/^ +at (?:.*\()?(?:async )?(file:\/\/[^()\n]+?|\/[^()\n]+?|[A-Z]:\\[^()\n]+?):\d+:\d+\)?$/gm)
  return [...frames].map(([, file = '']) => (file.startsWith('file:') ? fileURLToPath(file) : file))
}
