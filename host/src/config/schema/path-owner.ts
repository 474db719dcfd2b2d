/** The plugin, platform or MCP server that a path belongs to, if its section is one that only blocks that one. */
export function ownerOf(path: readonly string[]): { plugin?: string; platform?: string; server?: string } {
  if (path[0] === 'platforms' && path[1] !== undefined) return { platform: path[1] }
  if (path[0] === 'plugins' && path[1] === 'entries' && path[2] !== undefined) return { plugin: path[2] }
  if (path[0] === 'mcp_servers' && path[1] !== undefined) return { server: path[1] }
  return {}
}
