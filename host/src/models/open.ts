import { setMaxListeners } from 'node:events'
import type {
  Call,
  Clock,
  Log,
  ModelEvent,
  ModelRequest,
  ModelSource,
  Provider,
  ProviderContext,
  ProviderManifest,
} from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { openProvedEndpoint } from './accounts/open-proved.ts'
import type { FindCredential } from './credentials/open-credentials.ts'
import { guardSource } from './guard-source.ts'
import { askWindow } from './list/ask-window.ts'
import { fetchModels } from './list/fetch-models.ts'
import type { OpenProtocol } from './protocols/protocol.ts'
import { createWatches } from './protocols/watch.ts'
import type { ModelChoice, ModelSettings, ProviderContribution } from './request/endpoint.ts'
import { type EndpointSource, givenKey } from './request/endpoint.ts'
import { findProvider, type ProviderCatalog } from './select.ts'

export interface ChatModel {
  readonly provider: string
  readonly model: string
  /** Never throws; the last event is `end` or `failed`. `request.model` is replaced by the chosen model. */
  stream(request: ModelRequest, call: Call): AsyncIterable<ModelEvent>
  /** How many tokens its server says that it takes there; absent where servers do not say. */
  window?(signal: AbortSignal): Promise<number | undefined>
}

export interface Models<Found extends ProviderContribution = ProviderContribution> {
  /**
   * `settings` stand in for the `model` block of the configuration, for a provider that speaks a protocol of the host.
   * Throws PROVIDER_UNKNOWN, ENV_MISSING, or what the provider's own code threw while it opened.
   */
  model(choice: Pick<ModelChoice, 'provider' | 'model'> & { readonly settings?: ModelSettings }): Promise<ChatModel>
  list(provider: string, call: Call): Promise<readonly string[]>
  /** Undoes what a provider has set up that was replaced or removed. */
  retire(contribution: Found): Promise<void>
  close(): Promise<void>
}

export interface ModelDeps<Found extends ProviderContribution = ProviderContribution> extends EndpointSource {
  readonly catalog: ProviderCatalog<Found>
  readonly activator: { entry<T>(contribution: Found): Promise<T> }
  /** What a provider with its own code is opened with. */
  context(contribution: Found): Promise<ProviderContext>
  /** Ends that context. */
  release?(contribution: Found): Promise<void>
  readonly clock: Clock
  readonly log: Log
  /** Longest model call, and longest silence before its first byte. */
  readonly timeoutMs: number
  /** Longest silence inside an answer. */
  readonly stallMs?: number
  /** Sends requests; absent: Node's connection pool does. */
  readonly fetch?: typeof fetch | undefined
  /** Proves who asks where no single key does. */
  readonly credential?: FindCredential | undefined
  /** Names a tool call that came without an id. */
  newCallId(): string
}

const protocols: Record<string, () => Promise<OpenProtocol>> = {
  'openai-chat': async () => (await import('./protocols/openai-chat/openai-chat.ts')).openOpenaiChat,
  'openai-responses': async () => (await import('./protocols/openai-responses/openai-responses.ts')).openOpenaiResponses,
  'anthropic-messages': async () => (await import('./protocols/anthropic-messages/anthropic-messages.ts')).openAnthropicMessages,
  'gemini-generate': async () => (await import('./protocols/gemini-generate/gemini-generate.ts')).openGeminiGenerate,
  'bedrock-converse': async () => (await import('./protocols/bedrock-converse/bedrock-converse.ts')).openBedrockConverse,
}

type Protocol = NonNullable<ProviderManifest['protocol']>

/** Some services speak to each family of models in the protocol of its maker. */
function protocolOf({ protocolOfModels }: ProviderManifest, model: string | undefined): Protocol | undefined {
  return protocolOfModels.find(({ prefix }) => model?.startsWith(prefix))?.protocol
}

/** Opens providers on first use, each once. */
export function openModels<Found extends ProviderContribution>(deps: ModelDeps<Found>): Models<Found> {
  const sources = new Map<Found, Map<Protocol | undefined, Promise<OpenSource>>>()
  const closing = new AbortController()
  // Each model that came with an address hangs on it while it answers.
  setMaxListeners(0, closing.signal)
  const source = (provider: string, model?: string): Promise<OpenSource> => {
    if (closing.signal.aborted) throw fail('INTERRUPTED')
    const contribution = findProvider(deps.catalog, provider)
    const protocol = protocolOf(contribution.spec, model)
    const known = sources.get(contribution) ?? new Map<Protocol | undefined, Promise<OpenSource>>()
    sources.set(contribution, known)
    const opened = known.get(protocol) ?? openSource(deps, contribution, { signal: closing.signal, protocol })
    known.set(protocol, opened)
    // A provider that could not be opened is tried again at the next use, for instance after a key was set.
    opened.catch(() => known.delete(protocol))
    return opened
  }
  return {
    async model(choice) {
      const { settings: model } = choice
      const contribution = findProvider(deps.catalog, choice.provider)
      const opened =
        model && contribution.spec.protocol
          ? await openSource({ ...deps, ...ownSource(deps, contribution.spec, model) }, contribution, {
              ...{ signal: closing.signal, protocol: protocolOf(contribution.spec, choice.model), onlyKey: model.api_key },
            })
          : await source(choice.provider, choice.model)
      const { window } = opened
      return {
        provider: contribution.id,
        model: choice.model,
        ...(window ? { window: (signal) => window(choice.model, signal) } : {}),
        stream: (request, call) => opened.stream(request.model === choice.model ? request : { ...request, model: choice.model }, call),
      }
    },
    async list(provider, call) {
      const opened = await source(provider)
      if (!opened.models) throw fail('UNSUPPORTED', { what: 'listing models', by: provider })
      return opened.models(call)
    },
    async retire(contribution) {
      sources.delete(contribution)
      await deps.release?.(contribution)
    },
    async close() {
      closing.abort(fail('INTERRUPTED'))
      sources.clear()
    },
  }
}

/** Address and key that were given with a model hold before the variables: a key of the environment must not go to that address. */
function ownSource(
  { environment }: EndpointSource,
  { keyEnv, baseUrlEnv }: ProviderManifest,
  model: ModelSettings,
): Pick<EndpointSource, 'config' | 'environment'> {
  const isHidden = (name: string): boolean =>
    (model.api_key ? keyEnv.includes(name) : false) || (model.base_url ? name === baseUrlEnv : false)
  return { config: { model }, environment: { get: (name) => (isHidden(name) ? undefined : environment.get(name)) } }
}

interface OpenSource extends ModelSource {
  window?(model: string, signal: AbortSignal): Promise<number | undefined>
}

interface Opening {
  readonly signal: AbortSignal
  /** Absent: the one of the provider. */
  readonly protocol?: Protocol | undefined
  /** It was given with the model, and goes alone. */
  readonly onlyKey?: string | null | undefined
}

async function openSource<Found extends ProviderContribution>(
  deps: ModelDeps<Found>,
  contribution: Found,
  { signal, protocol, onlyKey }: Opening,
): Promise<OpenSource> {
  const watches = createWatches({ clock: deps.clock, timeoutMs: deps.timeoutMs, stallMs: deps.stallMs ?? 180_000, signal })
  const load = contribution.spec.protocol ? protocols[contribution.spec.protocol] : undefined
  if (!load) return guardSource(contribution.id, await openEntry(deps, contribution, signal), watches)
  const credential = onlyKey ? undefined : await deps.credential?.(contribution, givenKey(contribution.spec, deps))
  const usual = await openProvedEndpoint(contribution, deps, credential)
  const endpoint = protocol === undefined ? usual : { ...usual, protocol }
  const open = endpoint.protocol === contribution.spec.protocol ? await load() : await (protocols[endpoint.protocol] ?? load)()
  return {
    stream: open({ endpoint, clock: deps.clock, fetch: deps.fetch, watches, newCallId: deps.newCallId }),
    models: (call) => fetchModels(endpoint, deps.fetch, call.signal),
    ...(endpoint.quirks.window
      ? { window: (name, asked) => askWindow({ endpoint, fetch: deps.fetch, clock: deps.clock }, name, asked) }
      : {}),
  }
}

async function openEntry<Found extends ProviderContribution>(
  deps: ModelDeps<Found>,
  contribution: Found,
  signal: AbortSignal,
): Promise<ModelSource> {
  const provider = await deps.activator.entry<Provider>(contribution)
  return provider.open(await deps.context(contribution), { id: `open ${contribution.id}`, signal, deadline: 2 ** 31 - 1 })
}
