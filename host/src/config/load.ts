import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { maskText } from '#observe/mask.ts'
import { readLoggedIn } from './auth/logged-in.ts'
import { readEnvFile } from './environment/env-file.ts'
import { type Environment, openEnvironment } from './environment/environment.ts'
import { readConfigText } from './file/config-text.ts'
import type { KeepConfig } from './file/keep-config.ts'
import type { ConfigProblem, Loaded, OverridingVariable, Place } from './file/loaded.ts'
import { findWithoutEffect } from './file/without-effect.ts'
import type { Home } from './home/home.ts'
import { applyOverrides, findPlatformOverride } from './overrides.ts'
import { defaultConfig } from './schema/defaults.ts'
import { valueAt } from './schema/merge.ts'
import type { Config } from './schema/schema.ts'

export interface LoadOptions {
  /** Starts from the defaults; `.env` and the environment still count. */
  readonly ignoreUserConfig?: boolean
  /** Absent: the file is read again each time. */
  readonly keepConfig?: KeepConfig | undefined
}

interface FromFile {
  readonly config: Config
  readonly used: unknown
  readonly problems: readonly ConfigProblem[]
  readonly migrated: boolean
  readonly lineOf: (path: readonly string[]) => number
}

/** Reads the settings of a home: process environment before `.env` before config.yaml before defaults. */
export async function loadConfig(
  home: Home,
  processEnvironment: Readonly<Record<string, string | undefined>>,
  options: LoadOptions = {},
): Promise<Loaded> {
  const envFile = readEnvFile(home.files.env)
  const environment = openEnvironment(processEnvironment, envFile.values)
  const { loggedIn, secrets, problems: authProblems } = await readLoggedIn(home)
  for (const secret of secrets) environment.keepSecret(secret)
  const text = options.ignoreUserConfig ? undefined : readConfigText(home.files.config)
  const read = text === undefined ? onlyDefaults() : await readFromFile(home.files.config, text, environment, options.keepConfig)
  const { config, overrides, problems } = applyOverrides(read.config, environment)
  const overriddenBy = (key: string): OverridingVariable | undefined => overrides.get(key) ?? findPlatformOverride(key, environment)
  const placeOfVariable = (name: string): Place =>
    environment.source(name) === 'env-file' ? { file: home.files.env, line: envFile.lines[name] ?? 0 } : { file: 'environment', line: 0 }
  const placeOf = (path: readonly string[]): Place => ({ file: home.files.config, line: read.lineOf(path) })
  const placeOfValue = (key: string): Place => {
    const variable = overrides.get(key)
    return variable ? placeOfVariable(variable.name) : placeOf(key.split('.'))
  }
  return {
    config,
    environment,
    loggedIn,
    migrated: read.migrated,
    problems: [
      ...read.problems.map((one) => hideSecrets(one, environment)),
      ...[home.files.env, home.files.auth].filter(isOpenToOthers).map(rightsProblem),
      ...authProblems,
      ...envFile.unreadable.map((line) => envLineProblem(home.files.env, line)),
      ...envFile.repeated.map(({ name, line }) => repeatedProblem(home.files.env, name, line)),
      ...problems.map(({ name, problem: text }): ConfigProblem => ({ ...placeOfVariable(name), key: name, problem: text, level: 'error' })),
      ...findWithoutEffect(config, placeOfValue),
    ],
    overriddenBy,
    placeOf,
    placeOfVariable,
    sourceOf(key) {
      const override = overriddenBy(key)
      if (override) return override.source
      return valueAt(read.used, key.split('.')) == null ? 'default' : 'file'
    },
  }
}

/** Throws the first problem that concerns everybody; what blocks only one plugin, platform or server, and warnings, pass. */
export function requireSound(loaded: Pick<Loaded, 'problems'>): void {
  const found = loaded.problems.find(
    (one) => one.level === 'error' && one.plugin === undefined && one.platform === undefined && one.server === undefined,
  )
  if (found) throw fail('CONFIG_INVALID', { file: found.file, line: found.line, key: found.key, problem: found.problem })
}

function onlyDefaults(): FromFile {
  return { config: structuredClone(defaultConfig), used: {}, problems: [], migrated: false, lineOf: () => 0 }
}

// The YAML parser and zod are loaded only where there is a file to read.
async function readFromFile(file: string, text: string, environment: Environment, keep: KeepConfig | undefined): Promise<FromFile> {
  const { readConfig } = await import('./file/read-config.ts')
  return readConfig(file, text, environment, keep)
}

function problem(file: string, line: number, key: string, text: string): ConfigProblem {
  return { file, line, key, problem: text, level: 'error' }
}

// The other lines still hold, so this is no reason to refuse a start.
function envLineProblem(file: string, line: number): ConfigProblem {
  return { ...problem(file, line, 'this line', 'is neither NAME=value nor a comment'), level: 'warning' }
}

function repeatedProblem(file: string, name: string, line: number): ConfigProblem {
  return { ...problem(file, line, name, 'stands here a second time; this line counts'), level: 'warning' }
}

/** A key in the place of another key, or of a word, is no less a secret. */
function hideSecrets(one: ConfigProblem, environment: Environment): ConfigProblem {
  const [key, text] = [maskText(one.key, environment.secrets()), maskText(one.problem, environment.secrets())]
  return key === one.key && text === one.problem ? one : { ...one, key, problem: text }
}

function rightsProblem(file: string): ConfigProblem {
  return { ...problem(file, 0, 'its rights', `let other users read the secrets in it; chmod 600 ${file}`), level: 'warning' }
}

/** Who may not enter its folder cannot read a file. */
function isOpenToOthers(file: string): boolean {
  const about = statSync(file, { throwIfNoEntry: false })
  if (!about || process.platform === 'win32') return false
  const folder = statSync(dirname(file)).mode
  return ((about.mode & 0o040) !== 0 && (folder & 0o010) !== 0) || ((about.mode & 0o004) !== 0 && (folder & 0o001) !== 0)
}
