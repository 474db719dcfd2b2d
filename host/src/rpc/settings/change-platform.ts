import { isDeepStrictEqual } from 'node:util'
import type { Wire } from '@agent/plugin-sdk'
import { changeConfig } from '#config/edit.ts'
import { readConfigFile } from '#config/file/config-file.ts'
import { resolveReferences } from '#config/file/references.ts'
import { isTree, valueAt } from '#config/schema/merge.ts'
import type { PlatformForm } from '#gateway/setup/platform-form.ts'
import { switchOf } from '#gateway/setup/save-platform.ts'
import { checkSchema } from '#kernel/schema/json-schema.ts'
import type { OpenedCatalog } from '../home/open-catalog.ts'
import type { HomeContext } from '../home-context.ts'
import { bringBack } from './hide-secrets.ts'
import { changedVariables, type KnownVariable, sayVariables } from './known-variables.ts'

export interface PlatformChangeWish {
  readonly enabled?: boolean | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly clear_env?: readonly string[] | undefined
  /** The whole block; what is not in it any more is taken out. */
  readonly extra?: { readonly [key: string]: Wire | undefined } | undefined
}

export interface PlatformPlan {
  /** What is wrong, by variable or by dotted path in `extra`. With any of it nothing is written. */
  readonly faults: Readonly<Record<string, string>>
  /** Writes it; says what changed. */
  write(): readonly string[]
}

/** `extra` of a platform as it is written. */
export function readExtra({ home }: Pick<OpenedCatalog, 'home'>, id: string): Readonly<Record<string, unknown>> {
  const extra = valueAt(readConfigFile(home.files.config).value, ['platforms', id, 'extra'])
  return isTree(extra) ? extra : {}
}

/** The variables of a form: what it needs first, then who may write and where the agent reports. */
export function variablesOf({ fields, access, spec }: PlatformForm, known: readonly KnownVariable[]): readonly KnownVariable[] {
  const names = new Set([...fields.map(({ name }) => name), ...spec.env, ...Object.values(access)])
  return [...names].flatMap((name) => known.filter((one) => one.name === name))
}

/** Looks at everything before anything is written. */
export async function planPlatform(
  context: Pick<HomeContext, 'environment'>,
  opened: OpenedCatalog,
  { form, known, wish }: { readonly form: PlatformForm; readonly known: readonly KnownVariable[]; readonly wish: PlatformChangeWish },
): Promise<PlatformPlan> {
  const { home, loaded } = opened
  const before = readExtra(opened, form.id)
  const extra = wish.extra && (bringBack(wish.extra, before, 'extra', loaded.environment.secrets()) as Readonly<Record<string, unknown>>)
  const variables: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries((wish.clear_env ?? []).map((name) => [name, undefined])),
    ...wish.env,
  }
  const keys = extra ? [...new Set([...Object.keys(before), ...Object.keys(extra)])] : []
  const changedKeys = keys.filter((key) => !isDeepStrictEqual(before[key], extra?.[key]))
  const values = {
    ...Object.fromEntries(changedKeys.map((key) => [`platforms.${form.id}.extra.${key}`, extra?.[key] ?? null])),
    ...(wish.enabled === undefined ? {} : switchOf(form, wish.enabled)),
  }
  return {
    faults: {
      ...findVariableFaults(known, variables),
      ...(wish.enabled === true ? findMissing(opened, form, variables) : {}),
      ...(extra ? await findExtraFaults(opened, form, extra, wish.enabled !== false) : {}),
    },
    write() {
      const changed = changedVariables(opened, variables)
      const moved = changeConfig({ home, processEnvironment: context.environment }, { values, variables: changed })
      return [
        ...sayVariables(opened, changed),
        ...changedKeys.map((key) => `platforms.${form.id}.extra.${key} is ${extra?.[key] === undefined ? 'taken out' : 'set'}.`),
        ...moved.map((name) => `A secret is kept as ${name} in ${home.files.env}.`),
        ...(wish.enabled === undefined ? [] : [`${form.label} is switched ${wish.enabled ? 'on' : 'off'}.`]),
      ]
    },
  }
}

function findVariableFaults(known: readonly KnownVariable[], variables: Readonly<Record<string, string | undefined>>) {
  const faults: Record<string, string> = {}
  for (const [name, value] of Object.entries(variables)) {
    const variable = known.find((one) => one.name === name)
    const misfit = variable ? value !== undefined && variable.misfit(value) : 'is no variable of this platform'
    if (misfit) faults[name] = misfit
  }
  return faults
}

/** What is needed, and neither given now nor set before. */
function findMissing(
  { loaded }: Pick<OpenedCatalog, 'loaded'>,
  { fields }: PlatformForm,
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const isSet = (name: string): boolean =>
    loaded.environment.source(name) === 'environment' || (name in variables ? Boolean(variables[name]) : loaded.environment.has(name))
  return Object.fromEntries(fields.filter(({ required, name }) => required && !isSet(name)).map(({ name }) => [name, 'is needed']))
}

async function findExtraFaults(
  { loaded }: Pick<OpenedCatalog, 'loaded'>,
  { id, spec }: PlatformForm,
  extra: Readonly<Record<string, unknown>>,
  runs: boolean,
): Promise<Readonly<Record<string, string>>> {
  const dotted = Object.keys(extra).filter((key) => key === '' || key.includes('.'))
  if (dotted.length > 0) return Object.fromEntries(dotted.map((key) => [key, 'cannot be a key here']))
  if (spec.configSchema === undefined) {
    return Object.fromEntries(Object.keys(extra).map((key) => [key, `is no setting of ${id}`]))
  }
  const resolved = resolveReferences({ platforms: { [id]: { extra } } }, loaded.environment).value
  const checked = await checkSchema(spec.configSchema, valueAt(resolved, ['platforms', id, 'extra']))
  // What is not switched on may be half filled in.
  if (checked.ok || (!runs && checked.problem === 'is missing')) return {}
  return { [checked.path === '' ? 'extra' : checked.path]: checked.problem }
}
