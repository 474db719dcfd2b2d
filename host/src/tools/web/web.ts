import type { Call, Clock, Context, Log, ToolContext, WebBackend, WebPage, WebSource } from '@agent/plugin-sdk'
import { type AgentError, detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { requireHostVerb } from '#kernel/activation/plugin-context.ts'
import { passCall } from '#kernel/calls/call.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { createOpener, type OpenedContext, type OpenerOptions } from '../opener.ts'
import type { WebAnswer } from './answers.ts'
import { type FindOptions, findBackend, offersWeb, type WebMethod } from './find-backend.ts'
import type { GuardAddress, ResolveAddress } from './guard-address.ts'

export interface WebOptions extends OpenerOptions<'web-backend', Context> {
  readonly catalog: FindOptions['catalog']
  /** `web.backend` as it is now. */
  readonly wanted: () => string
  readonly guard: GuardAddress
  readonly resolve: ResolveAddress
  readonly clock: Clock
  readonly log: Log
}

type HostWeb = ToolContext['web']
type BackendContext = Parameters<WebBackend['open']>[0]

/** The web, through the backend that is chosen now. */
export interface Web extends HostWeb {
  offers(method: WebMethod): boolean
  retire(contribution: Contribution<'web-backend'>): Promise<void>
  close(): Promise<void>
}

const methods = {
  search: { what: 'search', ms: 30_000 },
  extract: { what: 'read pages', ms: 60_000 },
  crawl: { what: 'follow links', ms: 120_000 },
} as const satisfies Record<WebMethod, unknown>

export function createWeb(options: WebOptions): Web {
  const { catalog, wanted, guard, clock, log } = options
  const within = <T>(url: string, call: Call, look: () => Promise<T>): Promise<T> =>
    passCall(call, { clock, ms: 10_000, what: `Looking up ${url}` }, look)
  const resolve: HostWeb['resolve'] = (wish, call) => within(wish.url, call, () => options.resolve(wish))
  const { opened, retire, close } = createOpener<'web-backend', BackendContext, WebSource>(
    { ...options, openContext: (contribution) => openWithWeb(options, contribution, resolve) },
    requireMethods,
  )

  async function ask<Method extends WebMethod>(
    method: Method,
    call: Call,
    run: (source: Required<WebSource>, call: Call) => Promise<unknown>,
  ): Promise<WebAnswer<Method>> {
    const { what, ms } = methods[method]
    const backend = findBackend({ catalog, wanted: wanted() }, method)
    if (!backend) throw fail('WEB_BACKEND_LACKS', wanted() === '' ? { what } : { what, backend: wanted() })
    const plugin = backend.plugin.manifest.id
    try {
      const limit = { what: `web.${method} of ${plugin}`, ms, clock }
      const answer = await passCall(call, limit, async (own) => run((await opened(backend)) as Required<WebSource>, own))
      const { readAnswer } = await import('./answers.ts')
      return readAnswer(method, answer)
    } catch (error) {
      const coded = describeFailure(plugin, method, error)
      if (coded.code !== 'INTERRUPTED') log.warn('a web backend failed', { plugin, method, problem: coded.message })
      throw coded
    }
  }

  const check = (url: string, call: Call): Promise<void> => within(url, call, () => guard(url))

  /** A page may have led elsewhere. */
  async function checkAll(pages: readonly WebPage[], call: Call): Promise<void> {
    for (const url of new Set(pages.map((page) => page.url))) await check(url, call)
  }

  return {
    async search({ query, most }, call) {
      return (await ask('search', call, (source, own) => source.search({ query, most }, own))).slice(0, most)
    },
    async extract(url, call) {
      await check(url, call)
      const found = await ask('extract', call, (source, own) => source.extract(url, own))
      await checkAll([found], call)
      return found
    },
    async crawl({ url, most }, call) {
      await check(url, call)
      const found = (await ask('crawl', call, (source, own) => source.crawl({ url, most }, own))).slice(0, most)
      await checkAll(found, call)
      return found
    },
    resolve,
    offers: (method) => offersWeb({ catalog, wanted: wanted() }, method),
    retire,
    close,
  }
}

/** A backend may look up addresses, and asks no other backend. */
async function openWithWeb(
  { openContext }: WebOptions,
  contribution: Contribution<'web-backend'>,
  resolve: HostWeb['resolve'],
): Promise<OpenedContext<BackendContext>> {
  const { context, close } = await openContext(contribution)
  const limited: HostWeb['resolve'] = async (wish, call) => {
    requireHostVerb(contribution, 'web')
    return await resolve(wish, call)
  }
  return { context: Object.freeze({ ...context, web: Object.freeze({ resolve: limited }) }), close }
}

/** An error without a code is the plugin's; from a child it comes as INTERNAL. */
function describeFailure(plugin: string, method: WebMethod, error: unknown): AgentError {
  if (isAgentError(error) && error.code !== 'INTERNAL') return error
  const detail = isAgentError(error) ? String(error.params.detail) : detailOf(error)
  return fail('PLUGIN_FAILED', { plugin, during: `web.${method}`, detail }, { cause: error })
}

/** Declared = provided, both ways. */
function requireMethods({ plugin, spec }: Contribution<'web-backend'>, source: WebSource): void {
  const wrong = (Object.keys(methods) as WebMethod[]).find((name) => spec.capabilities[name] !== (typeof source?.[name] === 'function'))
  if (wrong === undefined) return
  const problem = spec.capabilities[wrong] ? `does not provide ${wrong}` : `provides ${wrong}, which is not declared`
  throw fail('PLUGIN_SHAPE', { plugin: plugin.manifest.id, entry: spec.entry, problem })
}
