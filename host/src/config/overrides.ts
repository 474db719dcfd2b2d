import { quote } from '#kernel/schema/quote.ts'
import type { Environment } from './environment/environment.ts'
import { misfitOf } from './environment/misfit-of.ts'
import { type Variable, type VariableReading, variables } from './environment/variables.ts'
import type { OverridingVariable } from './file/loaded.ts'
import { findPlatformVariable } from './platform-settings.ts'
import { withValueAt } from './schema/merge.ts'
import { findPlatformKey } from './schema/platform-keys.ts'
import type { Config } from './schema/schema.ts'
import { parseWord } from './schema/words.ts'

type Reading = { readonly value: unknown } | { readonly problem: string } | undefined

const notifications = ['all', 'result', 'error', 'off']

const readings: Readonly<Record<VariableReading, (text: string) => Reading>> = {
  integer: (text) => (/^[1-9]\d{0,8}$/.test(text) ? { value: Number(text) } : { problem: 'must be a whole number above 0' }),
  boolean: (text) => {
    const value = parseWord(text)
    return value === undefined ? { problem: 'must be true or false' } : { value }
  },
  notifications: (text) => (notifications.includes(text) ? { value: text } : { problem: `must be one of ${notifications.join(', ')}` }),
  // Only 1 asks for it; 0 leaves the choice to the configuration.
  interface: (text) => (text === '1' ? { value: 'tui' } : parseWord(text) === false ? undefined : { problem: 'must be 1 or 0' }),
}

const platformSetting = /^platforms\.([^.]+)\.([^.]+)$/

/** The variable that holds instead of a key that has a platform's id in it. */
export function findPlatformOverride(key: string, environment: Environment): OverridingVariable | undefined {
  const [, platform, name = ''] = platformSetting.exec(key) ?? []
  const known = findPlatformKey(name)
  return platform === undefined || !known ? undefined : findPlatformVariable(platform, known, environment)
}

export interface Overridden {
  readonly config: Config
  /** By dotted key. */
  readonly overrides: ReadonlyMap<string, OverridingVariable>
  readonly problems: readonly { readonly name: string; readonly problem: string }[]
}

/** Lets the variables win over the configuration, where they hold something that fits. */
export function applyOverrides(config: Config, environment: Environment): Overridden {
  let result: unknown = config
  const overrides = new Map<string, OverridingVariable>()
  const problems: { name: string; problem: string }[] = []
  for (const variable of variables) {
    const { name, key, reading } = variable
    const source = environment.source(name)
    const read = source === undefined ? undefined : readVariable(variable, environment.get(name) ?? '')
    if (source === undefined || read === undefined) continue
    if ('problem' in read) {
      problems.push({ name, problem: read.problem })
      continue
    }
    if (key === undefined) continue
    overrides.set(key, { name, source })
    if (reading) result = withValueAt(result, key.split('.'), read.value)
  }
  return { config: result as Config, overrides, problems }
}

/** Why a text does not fit what one of the program's own variables must hold. */
export function misfitOfVariable(variable: Variable, text: string): string | undefined {
  const read = readVariable(variable, text)
  return read && 'problem' in read ? read.problem : undefined
}

function readVariable({ reading, value }: Variable, text: string): Reading {
  const misfit = misfitOf(value, text)
  const read = misfit === undefined ? (reading ? readings[reading](text) : { value: undefined }) : { problem: misfit }
  return read && 'problem' in read ? { problem: `${read.problem}, not ${quote(text)}` } : read
}
