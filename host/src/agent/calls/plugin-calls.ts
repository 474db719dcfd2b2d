import type { Call, Clock, CodeKind, Context, Log } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/calls/call.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { createOpener, type Opener, type OpenerOptions } from '#tools/opener.ts'

export interface PluginCallsOptions<Kind extends CodeKind> extends OpenerOptions<Kind, Context> {
  readonly clock: Clock
  readonly log: Log
  /** What is called of what is opened; absent: `run`. */
  readonly method?: string | ((contribution: Contribution<Kind>) => readonly string[])
  /** How long a call may take; a minute unless told. */
  readonly longestMs?: number
}

/** A call that a person waits for. */
export interface PluginCall<Opened, Answer> {
  /** Said where it fails: `/roll`. */
  readonly what: string
  readonly signal: AbortSignal
  run(opened: Opened, call: Call): Promise<Answer>
}

export interface PluginCalls<Kind extends CodeKind, Opened> {
  /** Opens the contribution at its first call, and waits for no call longer than it may take. What goes wrong is a coded error that names the plugin. */
  call<Answer>(contribution: Contribution<Kind>, call: PluginCall<Opened, Answer>): Promise<Answer>
  /** Ends what was replaced or removed, after what runs of it. */
  retire(contribution: Contribution<Kind>): Promise<void>
  close(): Promise<void>
}

const usualMs = 60_000

/** Calls of plugins that have one method: loaded when the first one comes. */
export function createPluginCalls<Kind extends CodeKind, Opened extends object>(
  options: PluginCallsOptions<Kind>,
): PluginCalls<Kind, Opened> {
  const opener = createOpener<Kind, Context, Opened>(options, requireMethods(options.method ?? 'run'))
  const running = new Map<Promise<unknown>, Contribution>()
  return {
    async call(contribution, wanted) {
      const answer = callOne(options, { opener, contribution, wanted })
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

function requireMethods<Kind extends CodeKind>(
  method: NonNullable<PluginCallsOptions<Kind>['method']>,
): (contribution: Contribution<Kind>, opened: object) => void {
  return (contribution, opened) => {
    const { plugin, spec } = contribution
    const given = opened as Readonly<Record<string, unknown>> | undefined
    const wanted = typeof method === 'string' ? [method] : method(contribution)
    const missing = wanted.find((name) => typeof given?.[name] !== 'function')
    if (missing === undefined) return
    const { entry = 'its entry' } = spec as { readonly entry?: string }
    throw fail('PLUGIN_SHAPE', { plugin: plugin.manifest.id, entry, problem: `opens nothing that has ${missing}()` })
  }
}

interface Called<Kind extends CodeKind, Opened, Answer> {
  readonly opener: Opener<Kind, Opened>
  readonly contribution: Contribution<Kind>
  readonly wanted: PluginCall<Opened, Answer>
}

async function callOne<Kind extends CodeKind, Opened, Answer>(
  { clock, log, longestMs = usualMs }: PluginCallsOptions<Kind>,
  { opener, contribution, wanted }: Called<Kind, Opened, Answer>,
): Promise<Answer> {
  const plugin = contribution.plugin.manifest.id
  const { what, signal } = wanted
  try {
    return await callWithin({ clock, signal, deadline: longestMs, what }, (call) =>
      opener.opened(contribution).then((opened) => wanted.run(opened, call)),
    )
  } catch (error) {
    if (signal.aborted) throw error
    log.warn('a call of a plugin failed', { plugin, what, problem: String(error) })
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
