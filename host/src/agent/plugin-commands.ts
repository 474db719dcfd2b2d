import type { Clock, CommandRequest, OpenCommands } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { callBounded } from '#kernel/bounded-call.ts'
import type { Contribution } from '#kernel/catalog.ts'
import { createEntryOpener, type EntryOpener, type EntryOptions } from './entry-opener.ts'

export interface PluginCommandsOptions extends EntryOptions {
  readonly clock: Clock
}

export interface PluginCommands {
  /** Runs a command without a prompt, and waits no longer than a minute. What goes wrong is a coded error that names the plugin. */
  run(contribution: Contribution<'commands'>, request: CommandRequest, signal: AbortSignal): Promise<string>
  /** Ends what was replaced or removed, after what runs of it. */
  retire(contribution: Contribution<'commands'>): Promise<void>
  close(): Promise<void>
}

interface Used {
  readonly opener: EntryOpener<OpenCommands>
  readonly running: Set<Promise<unknown>>
}

const longestMs = 60_000

/** Commands of plugins: loaded when the first one is given. */
export function createPluginCommands(options: PluginCommandsOptions): PluginCommands {
  const used = new Map<Contribution, Used>()
  const use = (contribution: Contribution<'commands'>): Used => {
    const known = used.get(contribution) ?? { opener: createEntryOpener<OpenCommands>(options, contribution), running: new Set() }
    used.set(contribution, known)
    return known
  }
  const retire = async (contribution: Contribution): Promise<void> => {
    const { opener, running = [] } = used.get(contribution) ?? {}
    used.delete(contribution)
    await Promise.allSettled(running)
    await opener?.end()
  }
  return {
    async run(contribution, request, signal) {
      const { opener, running } = use(contribution)
      const answer = runCommand(options, { opener, contribution, request, signal })
      running.add(answer)
      return await answer.finally(() => running.delete(answer))
    },
    retire,
    close: async () => void (await Promise.all([...used.keys()].map(retire))),
  }
}

interface Given {
  readonly opener: EntryOpener<OpenCommands>
  readonly contribution: Contribution<'commands'>
  readonly request: CommandRequest
  readonly signal: AbortSignal
}

async function runCommand({ clock, log }: PluginCommandsOptions, { opener, contribution, request, signal }: Given): Promise<string> {
  const plugin = contribution.plugin.manifest.id
  const what = `/${request.name}`
  try {
    const answer = await callBounded({ clock, signal, deadline: longestMs, what }, (call) =>
      opener.use(async (opened) => await opened.run(request, call)),
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
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
}
