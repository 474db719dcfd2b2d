import type {
  Call,
  Commands,
  Context,
  HookRun,
  Hooks,
  ModelEvent,
  ModelSource,
  OpenCommands,
  OpenHooks,
  OpenToolset,
  Provider,
  ToolRun,
  Toolset,
  WebBackend,
  WebSource,
} from '@agent/plugin-sdk'
import { fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import type { Contribution } from '../catalog.ts'

const openDeadline = 10_000

/**
 * An entry whose opened parts outlive its child: who opened a provider, a toolset or the like keeps it for good, so after a crash it is
 * opened anew in the next child at the next use. Platforms are connected anew by their supervision.
 */
export function reviveEntry({ kind, id }: Contribution, entry: object, demand: () => Promise<object>): object {
  if (kind === 'provider') return { open: (context: Context, call: Call) => openProvider(id, entry as Provider, { context, call, demand }) }
  if (kind === 'toolset') return { open: (context: Context, call: Call) => openToolset(entry as Toolset, { context, call, demand }) }
  if (kind === 'web-backend')
    return { open: (context: Context, call: Call) => openWebBackend(entry as WebBackend, { context, call, demand }) }
  if (kind === 'hooks') return { open: (context: Context, call: Call) => openHooks(entry as Hooks, { context, call, demand }) }
  if (kind === 'commands') return { open: (context: Context, call: Call) => openCommands(entry as Commands, { context, call, demand }) }
  return entry
}

interface Reviving {
  readonly context: Context
  readonly call: Call
  readonly demand: () => Promise<object>
}

/** Gives what was opened, in the child that runs now. */
async function openCurrent<Entry extends object, Opened>(
  first: Entry,
  { context, call, demand }: Reviving,
  open: (entry: Entry, call: Call) => Promise<Opened>,
): Promise<{ first: Opened; current(): Promise<Opened> }> {
  let entry = first
  let opened = open(first, call)
  return {
    first: await opened,
    async current() {
      const now = (await demand()) as Entry
      if (now !== entry) {
        entry = now
        const { signal } = context
        opened = open(now, {
          id: `${call.id} again`,
          signal: AbortSignal.any([signal, AbortSignal.timeout(openDeadline)]),
          deadline: openDeadline,
        })
        // Whoever waits for it hears of it; the next one tries again.
        opened.catch(() => (entry = first))
      }
      return opened
    },
  }
}

async function openToolset(entry: Toolset, reviving: Reviving): Promise<OpenToolset> {
  const { first, current } = await openCurrent(entry, reviving, (now, call) => now.open(reviving.context as never, call))
  const tools = Object.keys(first.tools).map((name): [string, ToolRun] => [
    name,
    async (toolCall, call) => {
      const run = (await current()).tools[name]
      if (!run) throw fail('UNSUPPORTED', { what: name, by: 'This toolset' })
      return run(toolCall as never, call)
    },
  ])
  return { tools: Object.fromEntries(tools) }
}

async function openWebBackend(entry: WebBackend, reviving: Reviving): Promise<WebSource> {
  const { first, current } = await openCurrent(entry, reviving, (now, call) => now.open(reviving.context, call))
  const methods = (Object.keys(first) as (keyof WebSource)[]).map((name) => [
    name,
    async (asked: never, call: Call) => await (await current())[name]?.(asked, call),
  ])
  return Object.fromEntries(methods) as WebSource
}

async function openHooks(entry: Hooks, reviving: Reviving): Promise<OpenHooks> {
  const { first, current } = await openCurrent(entry, reviving, (now, call) => now.open(reviving.context, call))
  const hooks = Object.keys(first.hooks ?? {}).map((name) => [
    name,
    async (event: never, call: Call) => await ((await current()).hooks as Record<string, HookRun<never>>)[name]?.(event, call),
  ])
  return { hooks: Object.fromEntries(hooks) }
}

async function openCommands(entry: Commands, reviving: Reviving): Promise<OpenCommands> {
  const { first, current } = await openCurrent(entry, reviving, (now, call) => now.open(reviving.context, call))
  return typeof first.run === 'function' ? { run: async (request, call) => await (await current()).run(request, call) } : first
}

async function openProvider(provider: string, entry: Provider, reviving: Reviving): Promise<ModelSource> {
  const { first, current } = await openCurrent(entry, reviving, (now, call) => now.open(reviving.context, call))
  const source: ModelSource = {
    async *stream(request, call) {
      try {
        yield* (await current()).stream(request, call)
      } catch (error) {
        if (!isAgentError(error, 'PLUGIN_FAILED')) throw error
        yield describeLoss(provider, error)
      }
    },
  }
  if (!first.models) return source
  return { ...source, models: async (call) => (await (await current()).models?.(call)) ?? [] }
}

/** The turn is told like that the connection broke: it may be tried again. */
function describeLoss(provider: string, error: Error & { readonly retryAfterMs?: number | undefined }): ModelEvent {
  const wait = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }
  return {
    type: 'failed',
    class: 'disconnected',
    error: toWireError(fail('MODEL_DISCONNECTED', { provider, detail: error.message }, wait)),
  }
}
