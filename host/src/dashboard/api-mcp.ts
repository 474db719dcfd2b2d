/** What the family of MCP servers answers; beside `api.ts`, by the same rules. */

/** GET /api/mcp/servers: no answer has a value of a variable or a header in it. */
export interface McpServerList {
  readonly servers: readonly McpServerView[]
}

export interface McpServerView {
  readonly name: string
  readonly transport: 'stdio' | 'http' | 'sse'
  readonly command?: string
  readonly args?: readonly string[]
  readonly url?: string
  readonly env: readonly string[]
  readonly headers: readonly string[]
  readonly enabled: boolean
  readonly trust: 'full' | 'hints' | 'untrusted' | 'ask'
  readonly problem?: string
}

/**
 * POST /api/mcp/servers {name, command?, args?, env?, url?, headers?, transport?, timeout?, trust?}, PUT /api/mcp/servers/{name}/enabled {enabled} and
 * DELETE /api/mcp/servers/{name} answer `Changed`; POST /api/mcp/servers/{name}/test starts it and answers this.
 */
export interface McpTested {
  readonly ok: boolean
  readonly said: readonly string[]
}

/** GET /api/mcp/catalog; POST /api/mcp/catalog/install {name, env?, words?} answers `Changed`. */
export interface McpCatalog {
  readonly servers: readonly {
    readonly name: string
    readonly description: string
    readonly docsUrl: string
    readonly env: readonly { readonly name: string; readonly prompt: string }[]
    /** What has to be said behind its name; empty: nothing. */
    readonly words: string
    readonly installed: boolean
  }[]
}
