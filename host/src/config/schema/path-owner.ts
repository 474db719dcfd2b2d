/** The plugin or platform that a path belongs to, if its section is one that only blocks that one. */
export function ownerOf(path: readonly string[]): { plugin?: string; platform?: string } {
  if (path[0] === 'platforms' && path[1] !== undefined) return { platform: path[1] }
  if (path[0] === 'plugins' && path[1] === 'entries' && path[2] !== undefined) return { plugin: path[2] }
  if (path[0] === 'mcp_servers' && path[1] !== undefined) return { plugin: 'toolset-mcp' }
  return {}
}
