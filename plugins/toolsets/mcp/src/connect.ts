import { type Context, type LinkedSignals, linkSignals, type ToolContext, withTimeLimit } from '@agent/plugin-sdk'
import type { Client, Transport } from '@modelcontextprotocol/client'
import type { ServerSettings } from './config.ts'
import { describeFailure } from './describe-failure.ts'
import { environmentOf } from './environment.ts'
import { limitBody } from './limit-body.ts'
import { openStdio } from './open-stdio.ts'
import { answerForm, type FormRequest } from './questions/answer-form.ts'
import { answerSample } from './questions/answer-sample.ts'
import type { Running } from './questions/running.ts'
import { withLogin } from './with-login.ts'

export type ServerContext = Pick<ToolContext, 'about' | 'clock' | 'log' | 'fetch' | 'environment' | 'login' | 'models' | 'signal'>

export interface Connection {
  readonly client: Client
  /** The server is gone, or was ended. */
  readonly isOver: () => boolean
  /** What the server said at its end; empty where nothing is known. */
  readonly lastWords: () => string
  close(): Promise<void>
}

export interface ConnectWish {
  readonly name: string
  readonly settings: ServerSettings
  /** The folder that the server may be told about. */
  readonly workspace: () => string | undefined
  /** The calls that it may ask something for. */
  readonly running: Running
  /** Its tools are others now. */
  onChanged(): void
}

/** Connects one server, within the time that its settings give it. Rejects with a sentence that says what went wrong. */
export async function connect(context: ServerContext, wish: ConnectWish, signal: AbortSignal): Promise<Connection> {
  const { name, settings } = wish
  if (settings.command !== undefined) return connectWith(context, wish, signal, await stdioOf(context, wish))
  if (settings.url === undefined) throw new Error(`mcp_servers.${name} names neither a command nor a url.`)
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const url = new URL(settings.url)
  const proved = withLogin(context.fetch as Context['fetch'], { ...{ name, settings, login: context.login }, url: settings.url })
  const options = { fetch: limitBody(proved, name) as never, requestInit: { headers: settings.headers } }
  const old = (): Opened => ({ transport: new SSEClientTransport(url, options), lastWords: () => '' })
  if (settings.transport === 'sse') return connectWith(context, wish, signal, old())
  try {
    return await connectWith(context, wish, signal, { transport: new StreamableHTTPClientTransport(url, options), lastWords: () => '' })
  } catch (error) {
    signal.throwIfAborted()
    if (settings.transport === 'http' || !speaksOnlySse(error)) throw error
    return connectWith(context, wish, signal, old())
  }
}

interface Opened {
  readonly transport: Transport
  lastWords(): string
}

async function stdioOf({ environment, clock, log }: ServerContext, { name, settings, workspace }: ConnectWish): Promise<Opened> {
  const { command = '', args, env } = settings
  const cwd = settings.cwd ?? workspace()
  const transport = openStdio({ ...{ name, command, args, cwd, clock, log }, env: environmentOf(await environment(), env) })
  return { transport, lastWords: () => transport.lastWords() }
}

/** An older server answers the first request of the newer transport with one of these. */
function speaksOnlySse(error: unknown): boolean {
  const { status } = error as { readonly status?: unknown }
  return status === 400 || status === 404 || status === 405
}

async function connectWith(context: ServerContext, wish: ConnectWish, signal: AbortSignal, opened: Opened): Promise<Connection> {
  const { name, settings } = wish
  const { Client } = await import('@modelcontextprotocol/client')
  let over = false
  const client = new Client(
    { name: 'agent', version: context.about.agentVersion },
    {
      capabilities: { roots: {}, elicitation: { form: {} }, ...(settings.sampling ? { sampling: {} } : {}) },
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: 5000 } },
      listChanged: { tools: { autoRefresh: false, onChanged: () => wish.onChanged() } },
    },
  )
  client.onclose = () => {
    over = true
  }
  client.setRequestHandler('roots/list', async () => {
    const folder = wish.workspace()
    const { pathToFileURL } = await import('node:url')
    return { roots: folder === undefined ? [] : [{ uri: pathToFileURL(folder).href, name: 'workspace' }] }
  })
  answerQuestions(client, context, wish)
  const link: LinkedSignals = linkSignals(signal, context.signal)
  try {
    const ms = settings.connect_timeout * 1000
    await withTimeLimit({ clock: context.clock, signal: link.signal, ms, what: `The MCP server ${name}` }, (own) =>
      client.connect(opened.transport, { timeout: ms, signal: own }),
    )
  } catch (error) {
    await closeBoth(client, opened.transport)
    const { status } = error as { readonly status?: unknown }
    throw Object.assign(new Error(describeFailure(error, opened.lastWords())), { status })
  } finally {
    link[Symbol.dispose]()
  }
  return { client, isOver: () => over, lastWords: opened.lastWords, close: () => closeBoth(client, opened.transport) }
}

/** What a server asks in the middle of a call. */
function answerQuestions(client: Client, { models }: ServerContext, { settings, running }: ConnectWish): void {
  client.setRequestHandler('elicitation/create', async ({ params }) => answerForm(params as FormRequest, running.single()))
  if (settings.sampling)
    client.setRequestHandler('sampling/createMessage', async ({ params }) => answerSample(params, running.single(), models))
}

async function closeBoth(client: Client, transport: Transport): Promise<void> {
  await client.close().catch(() => undefined)
  await transport.close().catch(() => undefined)
}
