import type { McpServer } from '@agentclientprotocol/sdk'
import type { McpServers } from './editor-agents.ts'
import { refuseParams } from './refusals.ts'

const longestName = 32

/** The servers that an editor wants a session to have, as the settings would say it. Their calls are asked about like those of any other. */
export function readClientServers(servers: readonly McpServer[]): McpServers {
  const found: Record<string, McpServers[string]> = {}
  for (const server of servers) found[freeName(server.name, found)] = readServer(server)
  return found
}

function readServer(server: McpServer): McpServers[string] {
  if ('command' in server) return { command: server.command, args: server.args, env: pairsOf(server.env) }
  if (!/^https?:\/\//.test(server.url))
    throw refuseParams(`The address of the MCP server "${server.name}" begins with neither http:// nor https://.`)
  return { url: server.url, headers: pairsOf(server.headers), transport: server.type }
}

const pairsOf = (pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]))

/** People call servers as they like; the name is part of the names of tools. */
function freeName(wished: string, taken: Readonly<Record<string, unknown>>): string {
  const name = wished.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replace(/^[_-]+/, '') || 'server'
  for (let count = 1; ; count++) {
    const end = count === 1 ? '' : `-${count}`
    const free = name.slice(0, longestName - end.length) + end
    if (!Object.hasOwn(taken, free)) return free
  }
}
