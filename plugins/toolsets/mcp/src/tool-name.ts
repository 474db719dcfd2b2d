import { createHash } from 'node:crypto'

/** A tool of a server. */
export interface ToolOf {
  readonly server: string
  readonly known: { readonly action: string; readonly tool: string }
}

const longest = 64
const longestRule = 200

/**
 * `mcp_<server>_<tool>` for each: names that every provider of models takes. Where two come to the same name neither has it, so that none is
 * called in the place of another.
 */
export function toolNames(tools: readonly ToolOf[]): readonly string[] {
  const plain = tools.map(plainName)
  const hashed = tools.map((each) => withHash(plainName(each), each))
  const taken = new Set<string>(hashed)
  const seen = new Set<string>()
  for (const name of plain) (seen.has(name) ? taken : seen).add(name)
  return plain.map((name, index) => (name.length > longest || taken.has(name) ? (hashed[index] ?? name) : name))
}

/** Server and tool in one text that no other tool has: what an answer for always is kept under. */
export function ruleOf(of: ToolOf): string {
  const rule = `${of.server}/${of.known.action === 'call' ? '' : '~'}${encoded(of.known.tool)}`
  return rule.length <= longestRule ? rule : `${rule.slice(0, longestRule - 65)}~${hashOf(of)}`
}

const plainName = ({ server, known }: ToolOf): string => `mcp_${server}_${known.tool}`.replaceAll(/[^A-Za-z0-9_]/g, '_')

function withHash(name: string, of: ToolOf): string {
  const hash = hashOf(of).slice(0, 8)
  return `${name.slice(0, longest - hash.length - 1)}_${hash}`
}

const hashOf = ({ server, known }: ToolOf): string =>
  createHash('sha256')
    .update(JSON.stringify([server, known.action, known.tool]))
    .digest('hex')

const encoded = (text: string): string => text.replaceAll(/[^\w.-]/g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
