import type { Clock, CommandRequest, Context, Log, OpenCommands } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/calls/call.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { createOpener, type Opener, type OpenerOptions } from '#tools/opener.ts'

export interface PluginCommandsOptions extends OpenerOptions<'commands', Context> {
  readonly clock: Clock
  readonly log: Log
}

export interface PluginCommands {
  /** Runs a command without a prompt, and waits no longer than a minute. What goes wrong is a coded error that names the plugin. */
  run(contribution: Contribution<'commands'>, request: CommandRequest, signal: AbortSignal): Promise<string>
  /** Ends what was replaced or removed, after what runs of it. */
  retire(contribution: Contribution<'commands'>): Promise<void>
  close(): Promise<void>
}

const longestMs = 60_000

/** Commands of plugins: loaded when the first one is given. */
export function createPluginCommands(options: PluginCommandsOptions): PluginCommands {
  const opener = createOpener<'commands', Context, OpenCommands>(options, requireRun)
  const running = new Map<Promise<unknown>, Contribution>()
  return {
    async run(contribution, request, signal) {
      const answer = runCommand(options, { opener, contribution, request, signal })
      running.set(answer, contribution)
      return await answer.finally(() => running.delete(answer))
    },
    async retire(contribution) {
      await Promise.allSettled([...running].flatMap(([answer, of]) => (of === contribution ? [answer] : [])))
      await opener.retire(contribution)
    },
    async close() {
      await Promise.allSettled(running.keys())
      await opener.close()
    },
  }
}

function requireRun({ plugin, spec }: Contribution<'commands'>, opened: OpenCommands): void {
  if (typeof opened?.run === 'function') return
  throw fail('PLUGIN_SHAPE', { plugin: plugin.manifest.id, entry: spec.entry ?? 'its entry', problem: 'opens nothing that has run()' })
}

interface Given {
  readonly opener: Opener<'commands', OpenCommands>
  readonly contribution: Contribution<'commands'>
  readonly request: CommandRequest
  readonly signal: AbortSignal
}

async function runCommand({ clock, log }: PluginCommandsOptions, { opener, contribution, request, signal }: Given): Promise<string> {
  const plugin = contribution.plugin.manifest.id
  const what = `/${request.name}`
  try {
    const answer = await callWithin({ clock, signal, deadline: longestMs, what }, (call) =>
      opener.opened(contribution).then((opened) => opened.run(request, call)),
    )
    if (typeof answer?.text === 'string') return answer.text
    throw new Error('it answered with something that is no text')
  } catch (error) {
    if (signal.aborted) throw error
    log.warn('a command failed', { plugin, command: request.name, problem: String(error) })
    throw isOfPlugin(error) ? error : fail('PLUGIN_FAILED', { plugin, during: what, detail: describe(error) }, { cause: error })
  }
}

/** An error with a code is the plugin's own word. Without one it comes as INTERNAL from a child; too late it came by our clock. */
function isOfPlugin(error: unknown): boolean {
  return isAgentError(error) && error.code !== 'INTERNAL' && error.code !== 'TIMED_OUT'
}

function describe(error: unknown): string {
  if (isAgentError(error, 'INTERNAL')) return String(error.params.detail)
  return detailOf(error).replace(/\.$/, '')
}
