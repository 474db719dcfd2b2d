import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { manifestSchema } from '../kinds/manifest.ts'
import { findSdk } from './find-sdk.ts'
import { formatJson } from './format-json.ts'

/** Generates `manifest.schema.json`, the published form of the manifest's schema; `check` writes nothing. True when it was stale. */
export async function writeManifestSchema({ check = false, file = join(findSdk().root, 'manifest.schema.json') } = {}): Promise<boolean> {
  const schema = z.toJSONSchema(manifestSchema, { io: 'input', target: 'draft-2020-12' })
  const text = formatJson({ title: 'agent.plugin.json', ...schema })
  const changed = !existsSync(file) || (await readFile(file, 'utf8')) !== text
  if (changed && !check) await writeFile(file, text)
  return changed
}
