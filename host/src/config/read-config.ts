import { type ConfigFile, parseConfigFile, readConfigFile } from './config-file.ts'
import type { Environment } from './environment.ts'
import type { KnownKeys } from './keys.ts'
import type { ConfigProblem } from './loaded.ts'
import { resolveReferences } from './references.ts'
import type { Config } from './schema.ts'
import { ownerOf, validateConfig } from './validate.ts'

export interface ReadConfig {
  readonly config: Config
  readonly problems: readonly ConfigProblem[]
  /** The values of the file that hold. */
  readonly used: unknown
  readonly migrated: boolean
}

/** config.yaml with defaults filled in and everything that does not fit named by line. */
export async function readConfig(file: string, environment: Environment): Promise<ReadConfig> {
  const checked = checkParsed(file, readConfigFile(file), environment)
  if (!checked.problems.some((problem) => problem.unknownKey)) return checked
  const { openKeys } = await import('./keys.ts')
  const keys = openKeys()
  return { ...checked, problems: checked.problems.map((problem) => (problem.unknownKey ? addNearest(problem, keys) : problem)) }
}

/** The same for a text that is about to be written. */
export function checkText(file: string, text: string, environment: Environment): ReadConfig {
  return checkParsed(file, parseConfigFile(file, text), environment)
}

function checkParsed(file: string, parsed: ConfigFile, environment: Environment): ReadConfig {
  const resolved = resolveReferences(parsed.value, environment)
  const { config, misfits, used } = validateConfig(resolved.value, resolved.misfits)
  const problems = misfits.map(
    ({ path, problem, unknownKey }): ConfigProblem => ({
      file,
      line: parsed.lineOf(path),
      key: path.join('.'),
      problem,
      level: 'error',
      ...(unknownKey ? { unknownKey } : {}),
      ...ownerOf(path),
    }),
  )
  const warnings = resolved.openSecrets.map((path): ConfigProblem => {
    const key = path.join('.')
    return {
      file,
      line: parsed.lineOf(path),
      key,
      problem: `is a secret; agent config set ${key} moves it to .env`,
      level: 'warning',
    }
  })
  return { config, problems: [...problems, ...warnings].sort((a, b) => a.line - b.line), used, migrated: parsed.migrated }
}

function addNearest(problem: ConfigProblem, keys: KnownKeys): ConfigProblem {
  const nearest = keys.nearest(problem.key.split('.'))
  return nearest === undefined ? problem : { ...problem, nearest, problem: `${problem.problem}; did you mean ${nearest}?` }
}
