import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for what is too long for a conversation, or no text. */
export interface Spill {
  /** The path of the file that was written. */
  write(name: string, content: string | Uint8Array, ending: string): Promise<string>
  close(): Promise<void>
}

/** The folder is made with its first file, and only its owner can read it. */
export function createSpill(): Spill {
  let folder: Promise<string> | undefined
  return {
    async write(name, content, ending) {
      folder ??= mkdtemp(join(tmpdir(), 'agent-mcp-'))
      const path = join(await folder, `${name}-${randomUUID().slice(0, 8)}.${ending}`)
      await writeFile(path, content, { mode: 0o600, flag: 'wx' })
      return path
    },
    async close() {
      if (folder) await rm(await folder, { recursive: true, force: true })
    },
  }
}
