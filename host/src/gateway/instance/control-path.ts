import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Some systems take no longer name for a socket. */
const longestPath = 100

/** Where the gateway of a home can be asked: in the home, or in another folder where that name would be too long. */
export function controlPath(home: string, platform: NodeJS.Platform = process.platform): string {
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16)
  if (platform === 'win32') return `\\\\.\\pipe\\agent-${name}`
  const usual = join(home, 'gateway.sock')
  return Buffer.byteLength(usual) <= longestPath ? usual : join(tmpdir(), `agent-${name}`, 'gateway.sock')
}
