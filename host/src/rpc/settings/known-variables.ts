import { type DeclaredByPlugin, listDeclared } from '#agent/settings/declared-variables.ts'
import { readEnvFile, writeEnvValues } from '#config/environment/env-file.ts'
import { misfitOf } from '#config/environment/misfit-of.ts'
import { isSecretName } from '#config/environment/secret-names.ts'
import { type Variable, variables } from '#config/environment/variables.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { misfitOfVariable } from '#config/overrides.ts'
import { maskText } from '#observe/mask.ts'
import type { OpenedCatalog } from '../home/open-catalog.ts'

/** A variable that the program or something installed reads. */
export interface KnownVariable {
  readonly name: string
  readonly secret: boolean
  readonly required: boolean
  readonly prompt: string
  readonly url?: string
  /** Plugins that read it; empty: the program itself. */
  readonly usedBy: readonly string[]
  /** Completes the sentence "<variable> …" where a text does not fit. */
  misfit(text: string): string | undefined
}

/** The machine, or what starts this program, sets these; a line in `.env` would be wrong or come too late. */
const ofMachine = new Set(
  'AGENT_HOME AGENT_SAFE_MODE HOME LOCALAPPDATA PATH SHELL EDITOR TERM COLORTERM NO_COLOR FORCE_COLOR CI'.split(' '),
)

/** Every name that may be set here, in the order of the alphabet. */
export function listKnown({ loaded, catalog }: Pick<OpenedCatalog, 'loaded' | 'catalog'>): readonly KnownVariable[] {
  const byName = new Map<string, DeclaredByPlugin[]>()
  for (const one of listDeclared(loaded, catalog)) byName.set(one.name, [...(byName.get(one.name) ?? []), one])
  const own = new Map(variables.map((variable) => [variable.name, variable]))
  return [...new Set([...own.keys(), ...byName.keys()])]
    .filter((name) => !ofMachine.has(name))
    .sort()
    .map((name) => toKnown(name, own.get(name), byName.get(name) ?? []))
}

function toKnown(name: string, own: Variable | undefined, declared: readonly DeclaredByPlugin[]): KnownVariable {
  const url = declared.find((one) => one.url !== undefined)?.url
  return {
    name,
    secret: own?.secret === true || declared.some(({ secret }) => secret) || isSecretName(name),
    required: declared.some(({ required }) => required),
    prompt: declared.find(({ prompt }) => prompt !== '')?.prompt ?? own?.about ?? '',
    ...(url === undefined ? {} : { url }),
    usedBy: [...new Set(declared.map(({ plugin }) => plugin))],
    misfit(text) {
      const misfits = [own && misfitOfVariable(own, text), ...declared.map(({ value }) => misfitOf(value, text))]
      return misfits.find((misfit) => misfit !== undefined)
    },
  }
}

/** How a variable is now. */
export interface VariableState {
  readonly set: boolean
  readonly source?: 'environment' | 'file'
  /** The process environment hides the value of the file. */
  readonly shadowed: boolean
  /** Of what is no secret and holds none. */
  readonly value?: string
}

export function readState(
  { name, secret }: Pick<KnownVariable, 'name' | 'secret'>,
  { environment }: Pick<Loaded, 'environment'>,
  written: Readonly<Record<string, string>>,
): VariableState {
  const source = environment.source(name)
  if (source === undefined) return { set: false, shadowed: false }
  const value = environment.reference(name) ?? ''
  const isShown = !secret && maskText(value, environment.secrets()) === value
  return {
    ...{ set: true, source: source === 'env-file' ? 'file' : 'environment' },
    shadowed: source === 'environment' && Boolean(written[name]),
    ...(isShown ? { value } : {}),
  }
}

/** Writes variables to `.env`, all of them or none; undefined takes one out. Says what changed, without the values. */
export function keepVariables(
  opened: Pick<OpenedCatalog, 'home' | 'loaded'>,
  values: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const changed = changedVariables(opened, values)
  writeEnvValues(opened.home.files.env, changed)
  return sayVariables(opened, changed)
}

/** Those of which the file says something else. */
export function changedVariables(
  { home }: Pick<OpenedCatalog, 'home'>,
  values: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const before = readEnvFile(home.files.env).values
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => before[name] !== value))
}

/** A sentence for each, without the values. */
export function sayVariables(
  { home, loaded }: Pick<OpenedCatalog, 'home' | 'loaded'>,
  changed: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(changed).flatMap(([name, value]) => [
    value === undefined ? `${name} is taken out of ${home.files.env}.` : `${name} is written to ${home.files.env}.`,
    ...(loaded.environment.source(name) === 'environment' ? [`${name} is shadowed by the environment of the process.`] : []),
  ])
}
