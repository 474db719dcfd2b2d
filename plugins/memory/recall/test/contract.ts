import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MemoryWorld } from '@agent/plugin-sdk/testing'

/** What the contract suite does with this memory provider. */
export async function openWorld(): Promise<MemoryWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'memory-recall-'))
  const past = [
    { session: 'ses_1', title: 'Cats', role: 'user', at: 1_700_000_000_000, number: 3, text: 'my cat is called Minka' },
  ] as const
  return {
    config: {},
    folder,
    query: 'What is my cat called?',
    past,
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }),
  }
}
