import {
  type CompressRequest,
  type Context,
  estimateTokens,
  findCompressedMisfit,
  type Log,
  type ModelMessage,
  type OpenContextEngine,
} from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/calls/call.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { CallsServed } from '#models/calls-served.ts'
import type { Beneficiary } from '#store/usage.ts'
import { type BackendWish, chooseBackend } from '#tools/choose-backend.ts'
import { createOpener, type Opener, type OpenerOptions } from '#tools/opener.ts'
import { cutShort } from './cut-short.ts'
import { hideAddresses } from './hide-addresses.ts'

/** The engine that comes with agent, and stands in for one that fails. */
export const bundledEngine = 'compressor'

export interface ContextEnginesOptions extends OpenerOptions<'context', Context> {
  readonly catalog: BackendWish<'context'>['catalog']
  /** `context.engine` as it is now. */
  readonly wanted: () => string
  /** How long an engine may take, in milliseconds, with the model that it asks. */
  readonly longestMs: () => number
  readonly served: CallsServed
  readonly log: Log
}

/** Makes conversations shorter, by the engine that is chosen now. */
export interface ContextEngines {
  /**
   * The conversation as a model may hear it: always whole in form, with the last words of the person. An engine that does not give that is passed over.
   * Rejects where the caller gives up, and where only a model may do it and none did.
   */
  compress(request: CompressRequest, signal: AbortSignal, served?: Beneficiary): Promise<readonly ModelMessage[]>
  retire(contribution: Contribution<'context'>): Promise<void>
  close(): Promise<void>
}

interface Engines {
  readonly options: ContextEnginesOptions
  readonly opener: Opener<'context', OpenContextEngine>
  /** Until when an engine that failed is passed over, and how often it has failed. */
  readonly rests: WeakMap<Contribution, { readonly until: number; readonly failures: number }>
}

const restSteps = [60_000, 300_000, 900_000] as const

export function createContextEngines(options: ContextEnginesOptions): ContextEngines {
  const engines: Engines = {
    options,
    opener: createOpener<'context', Context, OpenContextEngine>(options, requireCompress),
    rests: new WeakMap(),
  }
  return {
    async compress(request, signal, served = { session: '' }) {
      const { messages, restore } = hideAddresses(request.messages)
      const hidden = { ...request, messages }
      let failure: unknown
      for (const engine of candidates(options)) {
        try {
          return restore(await ask(engines, engine, hidden, { served, signal }))
        } catch (error) {
          if (signal.aborted) throw error
          failure ??= error
        }
      }
      if (request.onlyByModel) throw failure ?? fail('NO_PROVIDER')
      return restore(cutShort(messages, request.room))
    },
    retire: engines.opener.retire,
    close: engines.opener.close,
  }
}

/** The chosen one, then the one that comes with agent. */
function candidates({ catalog, wanted, log }: ContextEnginesOptions): readonly Contribution<'context'>[] {
  const found = (name: string): readonly Contribution<'context'>[] => {
    try {
      const engine = chooseBackend({ catalog, kind: 'context', wanted: name, unknown: 'CONTEXT_ENGINE_UNKNOWN' })
      return engine ? [engine] : []
    } catch (error) {
      log.warn('a context engine cannot be used', { engine: name, problem: detailOf(error) })
      return []
    }
  }
  const name = wanted() || bundledEngine
  return name === bundledEngine ? found(name) : [...found(name), ...found(bundledEngine)]
}

async function ask(
  engines: Engines,
  engine: Contribution<'context'>,
  request: CompressRequest,
  { served, signal }: { readonly served: Beneficiary; readonly signal: AbortSignal },
): Promise<readonly ModelMessage[]> {
  const { options, opener, rests } = engines
  const { clock, longestMs, log } = options
  const plugin = engine.plugin.manifest.id
  const { until = 0, failures = 0 } = rests.get(engine) ?? {}
  if (clock.now() < until) throw fail('PLUGIN_FAILED', { plugin, during: 'shortening a conversation', detail: 'it failed a moment ago' })
  try {
    const limit = { clock, signal, deadline: longestMs(), what: `Shortening a conversation by ${plugin}` }
    // Its own copy: what it does with the messages is nobody's harm.
    const answer = await callWithin(limit, async (call) => {
      const opened = await opener.opened(engine)
      return options.served.during(call, served, () => opened.compress(structuredClone(request), call))
    })
    const kept = requireShorter(request, structuredClone(answer))
    rests.delete(engine)
    return kept
  } catch (error) {
    if (signal.aborted) throw error
    // A model that does not answer is no fault of an engine that was told to insist on one.
    if (!request.onlyByModel)
      rests.set(engine, { until: clock.now() + (restSteps[Math.min(failures, restSteps.length - 1)] ?? 0), failures: failures + 1 })
    log.warn('a context engine failed', { plugin, problem: detailOf(error) })
    throw error
  }
}

function requireShorter({ messages }: CompressRequest, answer: unknown): readonly ModelMessage[] {
  const misfit = findCompressedMisfit(messages, answer)
  if (misfit !== undefined) throw new Error(`what it gives cannot be said to a model: ${misfit}`)
  const kept = (answer as { readonly messages: readonly ModelMessage[] }).messages
  if (estimateTokens(kept) >= estimateTokens(messages)) throw new Error('what it gives is no shorter')
  return kept
}

function requireCompress({ plugin, spec }: Contribution<'context'>, engine: OpenContextEngine): void {
  if (typeof engine?.compress === 'function') return
  throw fail('PLUGIN_SHAPE', { plugin: plugin.manifest.id, entry: spec.entry, problem: 'does not provide compress' })
}
