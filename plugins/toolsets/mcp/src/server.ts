import { createHash } from 'node:crypto'
import { type State, type Wire, withTimeLimit } from '@agent/plugin-sdk'
import type { Client } from '@modelcontextprotocol/client'
import type { ServerSettings } from './config.ts'
import { type Connection, connect, type ServerContext } from './connect.ts'
import { describeFailure } from './describe-failure.ts'
import { type KnownTool, moreTools, readTools } from './known-tool.ts'
import type { Running } from './questions/running.ts'

export interface ServerOptions {
  readonly name: string
  readonly settings: ServerSettings
  readonly context: ServerContext & { readonly state: State }
  readonly workspace: () => string | undefined
  readonly running: Running
}

export type ServerState = 'ready' | 'starting' | 'failed'

/** A server of the settings. It is started when somebody needs it. */
export interface Server {
  readonly name: string
  readonly settings: ServerSettings
  readonly running: Running
  /** Of now, also where it does not run. */
  tools(): readonly KnownTool[] | undefined
  state(): { readonly state: ServerState; readonly text: string }
  /** Looks for tools: in what was kept, else by a start, which goes on when nobody waits any more. */
  discover(): Promise<void>
  /** Starts it again and asks for its tools. */
  refresh(): Promise<void>
  /** The connection, made where there is none. */
  connection(): Promise<Connection>
  close(): Promise<void>
}

/** After a failure nobody tries again for this long, so that a search does not wait for a broken server each time. */
const restMs = 15_000

export function createServer({ name, settings, context, workspace, running }: ServerOptions): Server {
  const key = `tools:${name}`
  const print = createHash('sha256').update(JSON.stringify(settings)).digest('hex')
  let tools: readonly KnownTool[] | undefined
  let opening: Promise<Connection> | undefined
  let open: Connection | undefined
  let looking: Promise<void> | undefined
  let failed: { readonly at: number; readonly text: string } | undefined
  let closed = false

  async function start(): Promise<Connection> {
    const wish = { name, settings, workspace, running, onChanged: () => void look().catch(() => undefined) }
    const made = await connect(context, wish, context.signal)
    if (closed) {
      await made.close()
      throw new Error(`The MCP server ${name} is not used any more.`)
    }
    open = made
    failed = undefined
    return made
  }

  async function connection(): Promise<Connection> {
    if (open && !open.isOver()) return open
    opening ??= start().finally(() => {
      opening = undefined
    })
    return opening
  }

  /** Asks the server itself. */
  async function look(): Promise<void> {
    try {
      const { client } = await connection()
      tools = await askTools(client, { name, settings, context })
      failed = undefined
      await keepTools({ name, context }, key, { print, tools: tools as unknown as Wire })
    } catch (error) {
      failed = { at: context.clock.now(), text: describeFailure(error, open?.isOver() ? open.lastWords() : '') }
      context.log.warn('an MCP server cannot be used', { server: name, problem: failed.text })
      throw error
    }
  }

  async function find(): Promise<void> {
    tools ??= readKept(await context.state.get(key), print)
    if (tools) return
    if (failed && context.clock.now() - failed.at < restMs) return
    await look()
  }

  return {
    ...{ name, settings, running, connection },
    tools: () => tools,
    state: () => describeState(name, tools, failed?.text),
    discover() {
      looking ??= find().finally(() => {
        looking = undefined
      })
      return looking
    },
    async refresh() {
      const before = open
      open = undefined
      await before?.close()
      await look()
    },
    async close() {
      closed = true
      await opening?.catch(() => undefined)
      await open?.close()
    },
  }
}

function describeState(name: string, tools: readonly KnownTool[] | undefined, problem: string | undefined): ReturnType<Server['state']> {
  if (problem !== undefined) return { state: 'failed', text: `The MCP server ${name} cannot be used: ${problem}.` }
  if (tools) return { state: 'ready', text: `The MCP server ${name} has ${tools.length} tools.` }
  return { state: 'starting', text: `The MCP server ${name} is still starting; its tools are found by a later search.` }
}

/** All of the server itself, within the time of a start. */
async function askTools(
  client: Client,
  { name, settings, context }: Pick<ServerOptions, 'name' | 'settings' | 'context'>,
): Promise<readonly KnownTool[]> {
  const ms = settings.connect_timeout * 1000
  const limit = { clock: context.clock, signal: context.signal, ms, what: `The list of tools of the MCP server ${name}` }
  const has = client.getServerCapabilities()
  const found = await withTimeLimit(limit, async (signal) =>
    has?.tools === undefined ? [] : (await client.listTools({}, { signal, timeout: ms, cacheMode: 'refresh' })).tools,
  )
  const more = moreTools({ resources: has?.resources !== undefined, prompts: has?.prompts !== undefined }, settings)
  return [...readTools(found, settings), ...more]
}

/** Where there are too many to keep, they are asked for at each start. */
async function keepTools({ name, context }: Pick<ServerOptions, 'name' | 'context'>, key: string, value: Wire): Promise<void> {
  await context.state.set(key, value).catch((error: unknown) => {
    context.log.warn('the tools of an MCP server are not kept', { server: name, problem: describeFailure(error) })
  })
}

/** What an earlier start has found; nothing where the settings were others. */
function readKept(value: Wire | undefined, print: string): readonly KnownTool[] | undefined {
  const kept = value as { readonly print?: unknown; readonly tools?: unknown } | undefined
  return kept?.print === print && Array.isArray(kept.tools) ? (kept.tools as readonly KnownTool[]) : undefined
}
