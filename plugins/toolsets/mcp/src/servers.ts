import { createHash } from 'node:crypto'
import { isOverWithin, type State } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import type { ServerContext } from './connect.ts'
import { type DynamicList, declare, type KnownTool } from './known-tool.ts'
import { createRunning } from './questions/running.ts'
import { createServer, type Server } from './server.ts'
import { toolNames } from './tool-name.ts'

export interface Servers {
  list(wish: { readonly fresh?: boolean; readonly only?: string }, signal: AbortSignal): Promise<DynamicList>
  /** The server and its tool that a name stands for. */
  find(name: string): { readonly server: Server; readonly known: KnownTool } | undefined
  close(): Promise<void>
}

/** A search waits this long for servers of which nothing is known yet. */
const patienceMs = 10_000

export function openServers(
  context: ServerContext & { readonly state: State; readonly config: Config },
  workspace: () => string | undefined,
): Servers {
  const every = Object.entries(context.config.mcp_servers).map(([name, settings]) =>
    createServer({ name, settings, context, workspace, running: createRunning() }),
  )
  const all = every.filter(({ settings }) => settings.enabled)
  let named = new Map<string, { readonly server: Server; readonly known: KnownTool }>()

  function name(): DynamicList['tools'] {
    const tools = all.flatMap((server) => (server.tools() ?? []).map((known) => ({ server, known })))
    const names = toolNames(tools.map(({ server, known }) => ({ server: server.name, known })))
    named = new Map(tools.map((each, index) => [names[index] ?? '', each]))
    return [...named].map(([each, { server, known }]) => declare(each, server.name, known, server.settings))
  }

  return {
    async list({ fresh = false, only }, signal) {
      const wanted = only === undefined ? all : every.filter((server) => server.name === only) // Who asks for one by its name may try it before it is switched on.
      const looks = wanted.map((server) => (fresh ? server.refresh() : server.discover()).catch(() => undefined))
      if (fresh) await untilOver(looks, signal)
      else await isOverWithin({ clock: context.clock, signal, ms: patienceMs }, Promise.all(looks))
      const tools = name()
      const revision = createHash('sha256').update(JSON.stringify(tools)).digest('hex')
      return { revision, tools, sources: wanted.map((server) => ({ name: server.name, ...server.state() })) }
    },
    find(each) {
      if (!named.has(each)) name()
      return named.get(each)
    },
    close: async () => void (await Promise.allSettled(every.map((server) => server.close()))),
  }
}

function untilOver(looks: readonly Promise<unknown>[], signal: AbortSignal): Promise<unknown> {
  const given = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([Promise.all(looks), given])
}
