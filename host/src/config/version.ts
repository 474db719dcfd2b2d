import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of the whole program, as its package.json says. */
export function readVersion(installRoot: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(installRoot, 'package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown'
}
