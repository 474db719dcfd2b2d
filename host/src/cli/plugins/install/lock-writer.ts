import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { identifyProcess } from '#gateway/process/process-identity.ts'
import { takeLock } from '#gateway/process/process-lock.ts'

/** Lets one process at a time change the plugins of a home. Gives back what unlocks. */
export function lockWriter(file: string): () => void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return takeLock(file, identifyProcess(process.pid), ({ pid }) => fail('PLUGINS_BUSY', { pid }))
}
