import { type ConfigFile, parseConfigFile, readConfigFile } from './config-file.ts'
import type { Environment } from './environment.ts'
import { openKeys } from './keys.ts'
import type { ConfigProblem } from './loaded.ts'
import { resolveReferences } from './references.ts'
import type { Config } from './schema.ts'
import { type Misfit, ownerOf, validateConfig } from './validate.ts'

export interface ReadConfig {
  readonly config: Config
  readonly problems: readonly ConfigProblem[]
  /** The values of the file that hold. */
  readonly used: unknown
  readonly migrated: boolean
}

/** config.yaml with defaults filled in and everything that does not fit named by line. */
export function readConfig(file: string, environment: Environment): ReadConfig {
  return checkConfig(file, readConfigFile(file), environment)
}

/** The same for a text that is about to be written. */
export function checkText(file: string, text: string, environment: Environment): ReadConfig {
  return checkConfig(file, parseConfigFile(file, text), environment)
}

function checkConfig(file: string, parsed: ConfigFile, environment: Environment): ReadConfig {
  const resolved = resolveReferences(parsed.value, environment)
  const { config, misfits, used } = validateConfig(resolved.value, resolved.misfits)
  const keys = misfits.some((misfit) => misfit.unknownKey) ? openKeys() : undefined
  const toProblem = (misfit: Misfit): ConfigProblem => {
    const nearest = misfit.unknownKey ? keys?.nearest(misfit.path) : undefined
    return {
      file,
      line: parsed.lineOf(misfit.path),
      key: misfit.path.join('.'),
      problem: nearest === undefined ? misfit.problem : `${misfit.problem}; did you mean ${nearest}?`,
      ...(nearest === undefined ? {} : { nearest }),
      level: 'error',
      ...ownerOf(misfit.path),
    }
  }
  const warnings = resolved.openSecrets.map((path): ConfigProblem => {
    const key = path.join('.')
    return { file, line: parsed.lineOf(path), key, problem: `is a secret; agent config set ${key} moves it to .env`, level: 'warning' }
  })
  const problems = [...misfits.map(toProblem), ...warnings].sort((a, b) => a.line - b.line)
  return { config, problems, used, migrated: parsed.migrated }
}
