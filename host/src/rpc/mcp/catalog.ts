import { fail } from '@agent/plugin-sdk/errors'
import { nearestName } from '#kernel/nearest-name.ts'
import type { McpServer } from './servers.ts'

/** A server that one can install by its name: data, and nothing that runs before it is installed. */
export interface McpOffer {
  readonly name: string
  readonly description: string
  readonly docsUrl: string
  readonly server: McpServer
  /** Variables that it needs, with what they are. */
  readonly env: readonly { readonly name: string; readonly prompt: string }[]
  /** Words that are put behind its own, and what they are; empty: none. */
  readonly words: string
}

const npx = (name: string): McpServer => ({ command: 'npx', args: ['-y', `@modelcontextprotocol/${name}@2026.8.31`] })
const docs = (name: string): string => `https://github.com/modelcontextprotocol/servers/tree/main/src/${name}`

export const mcpCatalog: readonly McpOffer[] = [
  {
    ...{ name: 'filesystem', description: 'Reads, writes and searches files of the folders that are named.', docsUrl: docs('filesystem') },
    ...{ server: npx('server-filesystem'), env: [], words: 'FOLDER …' },
  },
  {
    ...{ name: 'memory', description: 'Keeps a graph of what is known.', docsUrl: docs('memory') },
    ...{ server: npx('server-memory'), env: [], words: '' },
  },
  {
    ...{
      name: 'sequential-thinking',
      description: 'Lets the model think in numbered steps that it can go back to.',
      docsUrl: docs('sequentialthinking'),
    },
    ...{ server: npx('server-sequential-thinking'), env: [], words: '' },
  },
  {
    ...{ name: 'everything', description: 'Shows everything that a server can do, to try a client.', docsUrl: docs('everything') },
    ...{ server: npx('server-everything'), env: [], words: '' },
  },
  {
    ...{ name: 'github', description: 'Reads and changes repositories, issues and pull requests on GitHub.' },
    docsUrl: 'https://github.com/github/github-mcp-server',
    server: { url: 'https://api.githubcopilot.com/mcp/', headers: { Authorization: 'Bearer $' + '{GITHUB_TOKEN}' } },
    env: [{ name: 'GITHUB_TOKEN', prompt: 'A personal access token of GitHub' }],
    words: '',
  },
]

export function findOffer(name: string): McpOffer {
  const found = mcpCatalog.find((offer) => offer.name === name)
  if (found) return found
  const nearest = nearestName(
    name,
    mcpCatalog.map((offer) => offer.name),
  )
  throw fail('MCP_SERVER_UNKNOWN', nearest === undefined ? { server: name } : { server: name, nearest })
}

/** What an offer becomes in the settings; throws where it lacks something. */
export function serverOf({ name, server, env, words }: McpOffer, given: InstallWish, isSet: (variable: string) => boolean): McpServer {
  const missing = env.find((variable) => given.env[variable.name] === undefined && !isSet(variable.name))
  if (missing)
    throw fail('USAGE', {
      problem: `${name} needs ${missing.name}: ${missing.prompt}.`,
      try: `agent mcp install ${name} --env ${missing.name}=VALUE`,
    })
  const odd = Object.keys(given.env).find((variable) => !env.some((known) => known.name === variable))
  if (odd !== undefined) throw fail('USAGE', { problem: `${name} takes no variable ${odd}.`, try: 'agent mcp catalog' })
  if (words !== '' && given.words.length === 0)
    throw fail('USAGE', { problem: `${name} needs words: ${words}`, try: `agent mcp install ${name} -- ${words}` })
  if (words === '' && given.words.length > 0) throw fail('USAGE', { problem: `${name} takes no words.`, try: 'agent mcp catalog' })
  return given.words.length === 0 ? server : { ...server, args: [...(server.args ?? []), ...given.words] }
}

export interface InstallWish {
  readonly env: Readonly<Record<string, string>>
  readonly words: readonly string[]
}
