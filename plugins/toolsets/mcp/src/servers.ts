import { createHash } from 'node:crypto'
import { isOverWithin, type State } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import type { ServerContext } from './connect.ts'
import { type DynamicList, declare, declareUse, type KnownTool, useOf } from './known-tool.ts'
import { createRunning } from './questions/running.ts'
import { createServer, type Server } from './server.ts'
import { toolNames } from './tool-name.ts'

export interface Servers {
  list(wish: { readonly fresh?: boolean; readonly only?: string }, signal: AbortSignal): Promise<DynamicList>
  /** The server and its tool that a name stands for. */
  find(name: string): { readonly server: Server; readonly known: KnownTool } | undefined
  /** The server of a project that a name lets in, and that is not used before a person has said so. */
  findAsked(name: string): Server | undefined
  /** A person has said so: it is used until this toolset ends. Says what it has. */
  use(server: Server, signal: AbortSignal): Promise<string>
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
  const used = new Set(every.filter(({ settings }) => settings.enabled))
  const asked = (): readonly Server[] => every.filter((server) => server.settings.project && !used.has(server))
  let named = new Map<string, { readonly server: Server; readonly known: KnownTool }>()
  let namedAsked = new Map<string, Server>()

  function name(): DynamicList['tools'] {
    const tools = [...used].flatMap((server) => (server.tools() ?? []).map((known) => ({ server, known })))
    const waiting = asked()
    const names = toolNames([
      ...tools.map(({ server, known }) => ({ server: server.name, known })),
      ...waiting.map((server) => ({ server: server.name, known: useOf })),
    ])
    named = new Map(tools.map((each, index) => [names[index] ?? '', each]))
    namedAsked = new Map(waiting.map((server, index) => [names[tools.length + index] ?? '', server]))
    return [
      ...[...named].map(([each, { server, known }]) => declare(each, server.name, known, server.settings)),
      ...[...namedAsked].map(([each, server]) => declareUse(each, server.name, server.settings)),
    ]
  }

  /** Who asks for one by its name may try it before it is switched on, but not before a person has said that a project's may be used. */
  const wantedBy = (only: string | undefined): readonly Server[] =>
    only === undefined ? [...used] : every.filter((server) => server.name === only && !asked().includes(server))

  /** One sentence about those that wait for a person. */
  function askedSource(): DynamicList['sources'] {
    const names = [...namedAsked.keys()]
    if (names.length === 0) return []
    const text = `The project names MCP servers that are used once a person has agreed; each of these asks: ${names.join(', ')}.`
    return [{ name: 'project', state: 'starting', text }]
  }

  return {
    async list({ fresh = false, only }, signal) {
      const wanted = wantedBy(only)
      const looks = wanted.map((server) => (fresh ? server.refresh() : server.discover()).catch(() => undefined))
      if (fresh) await untilOver(looks, signal)
      else await isOverWithin({ clock: context.clock, signal, ms: patienceMs }, Promise.all(looks))
      const tools = name()
      const revision = createHash('sha256').update(JSON.stringify(tools)).digest('hex')
      const sources = wanted.map((server) => ({ name: server.name, ...server.state() }))
      return { revision, tools, sources: only === undefined ? [...sources, ...askedSource()] : sources }
    },
    find(each) {
      if (!named.has(each)) name()
      return named.get(each)
    },
    findAsked: (each) => namedAsked.get(each),
    async use(server, signal) {
      used.add(server)
      await isOverWithin(
        { clock: context.clock, signal, ms: patienceMs },
        server.discover().catch(() => undefined),
      )
      return server.state().text
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
