import type { Call, ToolCall, ToolResult } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import type { Client, Progress, RequestOptions } from '@modelcontextprotocol/client'
import type { Connection } from './connect.ts'
import { describeFailure } from './describe-failure.ts'
import type { Action, KnownTool } from './known-tool.ts'
import { readContents, readResult, shorten } from './read-result.ts'
import type { Server } from './server.ts'
import type { Spill } from './spill.ts'

interface Wanted {
  readonly name: string
  readonly server: Server
  readonly known: KnownTool
  readonly spill: Spill
}

/** The time limit of the host comes first; this one only keeps the client from its own, shorter one. */
const longerMs = 60_000

/** Calls a tool of a server, once more where the connection was gone before the server had the call. */
export async function runTool(wanted: Wanted, toolCall: ToolCall, call: Call): Promise<ToolResult> {
  const { name, server, known } = wanted
  const refuse = (detail: string): ToolResult => ({
    ok: false,
    error: toWireError(fail('TOOL_FAILED', { tool: name, detail: `The MCP server ${server.name} did not answer: ${detail}.` })),
  })
  for (let attempt = 1; ; attempt++) {
    let connection: Connection | undefined
    try {
      connection = await server.connection()
      call.signal.throwIfAborted()
      using _ = server.running.begin({ server: server.name, toolCall, call })
      return await perform(wanted, connection.client, toolCall, call)
    } catch (error) {
      call.signal.throwIfAborted()
      if (!connection || !isGone(error)) return refuse(describeFailure(error))
      const lastWords = connection.lastWords()
      await connection.close()
      // One that died in the middle may have done its work.
      const mayRepeat = known.repeatable || isRefused(error)
      if (attempt > 1 || !mayRepeat) return refuse(`${describeFailure(error, lastWords)}${doubtOf(error)}`)
    }
  }
}

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | undefined)?.code

/** The server, or its session, is no more. */
function isGone(error: unknown): boolean {
  return (
    ['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED'].includes(String(codeOf(error))) || isRefused(error) || error instanceof TypeError
  )
}

/** It was never taken. */
function isRefused(error: unknown): boolean {
  return codeOf(error) === 'NOT_CONNECTED' || (error as { readonly status?: unknown } | undefined)?.status === 404
}

const doubtOf = (error: unknown): string => (isRefused(error) ? '' : '; it may have done its work all the same')

type Args = Readonly<Record<string, unknown>>

async function perform({ name, server, known, spill }: Wanted, client: Client, toolCall: ToolCall, call: Call): Promise<ToolResult> {
  const ms = server.settings.timeout * 1000 + longerMs
  const onprogress = ({ progress, total, message }: Progress): void =>
    toolCall.progress(`${message ?? 'working'}${total === undefined ? '' : ` (${progress} of ${total})`}`.slice(0, 500))
  const options: RequestOptions = { signal: call.signal, timeout: ms, maxTotalTimeout: ms, onprogress }
  const args = (toolCall.args ?? {}) as Args
  if (known.action === 'call') {
    const result = await client.callTool({ name: known.tool, arguments: { ...args } }, options)
    return readResult(name, result, spill)
  }
  const text = await actions[known.action](client, args, options, (contents) => readContents(name, contents, spill))
  return { ok: true, text: await shorten(name, text || '(nothing)', spill) }
}

type Read = (contents: Parameters<typeof readContents>[1]) => Promise<string>

const actions: {
  readonly [Name in Exclude<Action, 'call'>]: (client: Client, args: Args, options: RequestOptions, read: Read) => Promise<string>
} = {
  list_resources: async (client, _args, options) => {
    const { resources } = await client.listResources({}, options)
    return resources.map(({ uri, name, description }) => `${uri} ${name}${description ? `: ${description}` : ''}`).join('\n')
  },
  read_resource: async (client, { uri }, options, read) => {
    const { contents } = await client.readResource({ uri: String(uri) }, options)
    return (await Promise.all(contents.map(read))).join('\n\n')
  },
  list_prompts: async (client, _args, options) => {
    const { prompts } = await client.listPrompts({}, options)
    const say = (given: (typeof prompts)[number]['arguments']): string =>
      (given ?? []).map(({ name, required }) => ` ${name}${required ? '' : '?'}`).join('')
    return prompts
      .map(({ name, description, arguments: given }) => `${name}${say(given)}${description ? `: ${description}` : ''}`)
      .join('\n')
  },
  get_prompt: async (client, args, options) => {
    const given = args.arguments === undefined ? {} : { arguments: args.arguments as Record<string, string> }
    const { messages } = await client.getPrompt({ name: String(args.name), ...given }, options)
    return messages.map(({ role, content }) => `${role}: ${content.type === 'text' ? content.text : `(${content.type})`}`).join('\n\n')
  },
}
