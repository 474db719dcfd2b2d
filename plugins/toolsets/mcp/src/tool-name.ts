import { createHash } from 'node:crypto'

const longest = 64

/** `mcp_<server>_<tool>`: a name that every provider of models takes, and that no other tool has. */
export function toolName(server: string, tool: string, isTaken: (name: string) => boolean = () => false): string {
  const wanted = `mcp_${server}_${tool}`.replaceAll(/[^A-Za-z0-9_]/g, '_')
  const short = wanted.length <= longest ? wanted : withHash(wanted, `${server}\0${tool}`)
  return isTaken(short) ? withHash(short, `${server}\0${tool}`) : short
}

function withHash(name: string, of: string): string {
  const hash = createHash('sha256').update(of).digest('hex').slice(0, 8)
  return `${name.slice(0, longest - hash.length - 1)}_${hash}`
}
