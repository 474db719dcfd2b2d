import type { Loaded } from '#config/file/loaded.ts'
import type { Config } from '#config/schema/schema.ts'
import type { ProjectServers } from './project-servers.ts'
import { findProjectFolder } from './read-project-file.ts'

interface ProjectWish {
  /** The folder that a person has chosen; absent: there is no project. */
  readonly workspace?: string
  readonly safeMode?: boolean
  /** Servers beside those of the settings, whose names no project may use either. */
  readonly mcpServers?: Config['mcp_servers']
}

/**
 * Settings with the MCP servers that the project of the folder names. One that nobody has allowed is switched off; the client asks before it switches
 * it on.
 */
export async function withProjectServers(
  loaded: Loaded,
  { workspace, safeMode = false, mcpServers = {} }: ProjectWish,
  tell: (sentence: string) => void,
): Promise<Loaded> {
  const { mcp_servers: own, command_allowlist: allowlist } = loaded.config
  if (workspace === undefined || safeMode || findProjectFolder(workspace) === undefined) return loaded
  const { readProjectServers } = await import('./project-servers.ts')
  const project = readProjectServers({ workspace, taken: [...Object.keys(own), ...Object.keys(mcpServers)], allowlist })
  if (!project) return loaded
  for (const sentence of describe(project)) tell(sentence)
  const servers = project.servers.flatMap(({ name, state, settings }) =>
    settings ? [[name, { ...settings, enabled: state === 'allowed' }] as const] : [],
  )
  return { ...loaded, config: { ...loaded.config, mcp_servers: { ...Object.fromEntries(servers), ...own } } }
}

function describe({ path, problem, servers }: ProjectServers): readonly string[] {
  if (problem !== undefined) return [`The MCP servers of ${path} are not used: ${problem}.`]
  const asked = servers.filter(({ state }) => state === 'asked').map(({ name }) => name)
  return [
    ...servers.flatMap((each) =>
      each.problem === undefined ? [] : [`The MCP server ${each.name} of ${path} is not used: ${each.problem}.`],
    ),
    ...(asked.length === 0
      ? []
      : [`${path} names MCP servers that are not used before you allow them: ${asked.join(', ')}. agent mcp list shows what they run.`]),
  ]
}
