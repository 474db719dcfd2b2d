import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MemoryWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this memory provider. */
export async function openWorld(): Promise<MemoryWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'memory-files-'))
  return { config: {}, folder, [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }) }
}
