import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log, WireError } from '@agent/plugin-sdk'
import { fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'

/** The part of `process` that tells about errors which nobody caught. */
export interface FaultSource {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown
  off(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown
}

export interface FenceOptions {
  readonly source: FaultSource
  /** Folders of the plugins. */
  readonly plugins: () => readonly { readonly id: string; readonly root: string }[]
  /** Told whose code it was. */
  readonly onFault: (plugin: string, error: WireError) => void
  readonly log: Log
}

/**
 * Errors in timers and events of a plugin end that plugin's connections instead of the process. The files of the stack say whose
 * error it is; asynchronous contexts would say it too, and make every promise of the process three times as dear on Node 20.
 */
export function openFaultFence({ source, plugins, onFault, log }: FenceOptions): () => void {
  const listener = (error: unknown): void => {
    const files = filesOf(error)
    const plugin = plugins().find(({ root }) => files.some((file) => file.startsWith(`${root}${sep}`)))
    // The host's own error: its state is unknown, and what it accepted is in the journal.
    if (!plugin && files.length > 0 && !isAgentError(error)) throw error
    const detail = error instanceof Error ? error.message : String(error)
    log.error('nobody caught an error', { plugin: plugin?.id, detail, stack: error instanceof Error ? error.stack : undefined })
    // Without a file it is Node's own, as of a socket that nobody listens to: the platform that is deaf now is found by its silence.
    if (plugin) onFault(plugin.id, toWireError(fail('PLUGIN_FAILED', { plugin: plugin.id, during: 'its own work', detail })))
  }
  source.on('uncaughtException', listener)
  source.on('unhandledRejection', listener)
  return () => {
    source.off('uncaughtException', listener)
    source.off('unhandledRejection', listener)
  }
}

/** The files of a stack, without Node's own. */
function filesOf(error: unknown): readonly string[] {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const frames = stack.matchAll(/^ +at (?:.*\()?(?:async )?(file:\/\/[^()\n]+?|\/[^()\n]+?|[A-Z]:\\[^()\n]+?):\d+:\d+\)?$/gm)
  return [...frames].map(([, file = '']) => (file.startsWith('file:') ? fileURLToPath(file) : file))
}
