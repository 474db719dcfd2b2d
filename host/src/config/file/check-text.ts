import type { Environment } from '../environment/environment.ts'
import { validateConfig } from '../schema/validate.ts'
import { parseConfigFile } from './config-file.ts'
import { describeConfig, type ReadConfig } from './read-config.ts'
import { resolveReferences } from './references.ts'

/** What `readConfig` would say of a text that is about to be written. */
export function checkText(file: string, text: string, environment: Environment): ReadConfig {
  const parsed = parseConfigFile(file, text)
  const resolved = resolveReferences(parsed.value, environment)
  return describeConfig({ file, parsed, resolved, validated: validateConfig(resolved.value, resolved.misfits, parsed.value) })
}
