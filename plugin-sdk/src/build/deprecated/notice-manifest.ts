import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeDeprecation, readDeprecations } from '../../kinds/deprecated/deprecations.ts'
import { findInManifest } from '../../kinds/deprecated/find-in-manifest.ts'

/** A sentence for each thing in the manifest of a folder that is deprecated, beginning with the file that its author writes. */
export async function noticeManifest(dir: string, sdk: string): Promise<readonly string[]> {
  const file = join(dir, 'agent.plugin.json')
  if (!existsSync(file)) return []
  const written = existsSync(join(dir, 'src', 'plugin.ts')) ? 'src/plugin.ts' : 'agent.plugin.json'
  const found = findInManifest(parse(await readFile(file, 'utf8')), await readDeprecations(sdk))
  return found.map(({ what, ...row }) => `${written}: ${what} is deprecated ${describeDeprecation(row)}.`)
}

/** What is no JSON has its own rule. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
