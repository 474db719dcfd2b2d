import { fillQuickly } from '#kernel/schema/json-schema.ts'
import { unsure } from '#kernel/schema/quick-schema.ts'
import type { Environment } from '../environment/environment.ts'
import { configJsonSchema } from '../schema/config-json-schema.ts'
import { defaultConfig } from '../schema/defaults.ts'
import type { KnownKeys } from '../schema/keys.ts'
import { mergeDefaults } from '../schema/merge.ts'
import { ownerOf } from '../schema/path-owner.ts'
import type { Config } from '../schema/schema.ts'
import type { Validated } from '../schema/validate.ts'
import { type ConfigFile, parseConfigFile } from './config-file.ts'
import type { KeepConfig } from './keep-config.ts'
import type { ConfigProblem } from './loaded.ts'
import { type Resolved, resolveReferences } from './references.ts'

export interface ReadConfig {
  readonly config: Config
  readonly problems: readonly ConfigProblem[]
  /** The values of the file that hold. */
  readonly used: unknown
  readonly migrated: boolean
  /** Where a setting stands in the file. */
  readonly lineOf: ConfigFile['lineOf']
}

/** config.yaml with defaults filled in and everything that does not fit named by line. */
export async function readConfig(file: string, text: string, environment: Environment, keep?: KeepConfig): Promise<ReadConfig> {
  const parsed = keep ? keep(file, text, parseConfigFile) : parseConfigFile(file, text)
  const resolved = resolveReferences(parsed.value, environment)
  // Most files fit: zod, which is slow to load, is only asked about one that does not.
  const validated =
    validateQuickly(resolved) ?? (await import('../schema/validate.ts')).validateConfig(resolved.value, resolved.misfits, parsed.value)
  const checked = describeConfig({ file, parsed, resolved, validated })
  if (!checked.problems.some((problem) => problem.unknownKey)) return checked
  const { openKeys } = await import('../schema/keys.ts')
  const keys = openKeys()
  return { ...checked, problems: checked.problems.map((problem) => (problem.unknownKey ? addNearest(problem, keys) : problem)) }
}

export interface CheckedFile {
  readonly file: string
  readonly parsed: ConfigFile
  readonly resolved: Resolved
  readonly validated: Validated
}

/** Nobody reads more at once. */
const mostNamed = 100

/** The settings with everything that does not fit named by line. */
export function describeConfig({ file, parsed, resolved, validated }: CheckedFile): ReadConfig {
  const { config, misfits, used } = validated
  const problems = misfits.slice(0, mostNamed).map(
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
  const warnings = resolved.openSecrets.slice(0, mostNamed).map((path): ConfigProblem => {
    const key = path.join('.')
    return {
      file,
      line: parsed.lineOf(path),
      key,
      problem: `is a secret; agent config set ${key} moves it to .env`,
      level: 'warning',
    }
  })
  const sorted = [...problems, ...warnings].sort((a, b) => a.line - b.line)
  const more = misfits.length - problems.length
  if (more > 0) sorted.push({ file, line: 0, key: 'the file', problem: `has ${more.toLocaleString('en')} more mistakes`, level: 'error' })
  return { config, problems: sorted, used, migrated: parsed.migrated, lineOf: parsed.lineOf }
}

function validateQuickly({ value, misfits }: Resolved): Validated | undefined {
  const config = misfits.length > 0 ? unsure : fillQuickly(configJsonSchema, mergeDefaults(defaultConfig, value))
  return config === unsure ? undefined : { config: config as Config, misfits, used: value }
}

function addNearest(problem: ConfigProblem, keys: KnownKeys): ConfigProblem {
  const nearest = keys.nearest(problem.key.split('.'))
  return nearest === undefined ? problem : { ...problem, nearest, problem: `${problem.problem}; did you mean ${nearest}?` }
}
