import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fail } from '@agent/plugin-sdk/errors'
import { readConfigFile } from '#config/file/config-file.ts'
import { valueAt } from '#config/schema/merge.ts'
import { parseSpec, type Spec } from '#kernel/package/parse-spec.ts'
import { printable } from '#observe/printable.ts'
import type { OpenedCatalog } from '#rpc/home/open-catalog.ts'
import { section } from '../install/ask-consent.ts'
import { hashPack, type Pack, type PackedPlugin } from './pack-file.ts'

/** What a list changes in one home. */
export interface PackPlan {
  readonly installs: readonly { readonly id: string; readonly spec: Exclude<Spec, { type: 'link' }> }[]
  /** By dotted key. */
  readonly sets: Readonly<Record<string, unknown>>
  /** Keys that have another value here, which stays. */
  readonly keeps: readonly string[]
  /** Keys that a person has to set: secrets. */
  readonly asks: readonly string[]
}

/** Compares a list with a home, and refuses what can never be done before anybody is asked. */
export function planPack(pack: Pack, file: string, { home, catalog }: Pick<OpenedCatalog, 'home' | 'catalog'>): PackPlan {
  const stored = readConfigFile(home.files.config).value
  const here = (path: string): unknown => valueAt(stored, path.split('.'))
  const wanted = pack.plugins.flatMap(valuesOf)
  return {
    installs: pack.plugins.flatMap(({ id, install }) => (catalog.plugin(id) ? [] : [{ id, spec: specOf(id, install, file) }])),
    sets: Object.fromEntries(wanted.filter(([path]) => here(path) === undefined)),
    keeps: wanted.flatMap(([path, value]) => (here(path) === undefined || isDeepStrictEqual(here(path), value) ? [] : [path])),
    asks: pack.plugins
      .flatMap(({ id, asks = [] }) => asks.map((key) => `plugins.entries.${id}.config.${key}`))
      .filter((path) => here(path) === undefined),
  }
}

/** What a list says of a plugin, by the dotted keys of config.yaml. */
function valuesOf({ id, enabled, config = {} }: PackedPlugin): readonly (readonly [path: string, value: unknown])[] {
  const entry = `plugins.entries.${id}`
  return [
    ...(enabled === undefined ? [] : [[`${entry}.enabled`, enabled] as const]),
    ...Object.entries(config).map(([key, value]) => [`${entry}.config.${key}`, value] as const),
  ]
}

function specOf(id: string, install: string | undefined, file: string): Exclude<Spec, { type: 'link' }> {
  if (install === undefined)
    throw fail('USAGE', {
      problem: `The list has ${id}, which does not come with agent, and says no package of it.`,
      try: 'agent plugins search',
    })
  const spec = parseSpec(install, dirname(file))
  if (spec.type === 'link')
    throw fail('USAGE', {
      problem: `The list wants ${id} from a folder, and a list installs packages alone.`,
      try: `agent plugins install ${install}`,
    })
  return spec
}

/** What somebody agrees to. Who wrote the list is a stranger. */
export function formatPlan(pack: Pack, { installs, sets, keeps }: PackPlan): string {
  const switches = Object.entries(sets).filter(([key]) => key.endsWith('.enabled'))
  const settings = Object.entries(sets).filter(([key]) => !key.endsWith('.enabled'))
  const idOf = (key: string): string => key.split('.')[2] ?? ''
  return [
    `The list "${pack.name}" changes this:`,
    ...section(
      'It installs, and you are asked about each',
      installs.map(({ id, spec }) => `${id} (${spec.text})`),
    ),
    ...section(
      'It switches on',
      switches.filter(([, on]) => on === true).map(([key]) => idOf(key)),
    ),
    ...section(
      'It switches off',
      switches.filter(([, on]) => on !== true).map(([key]) => idOf(key)),
    ),
    ...section(
      'It sets',
      settings.map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
    ),
    ...section('These have another value here, which stays', keeps),
    `This is ${hashPack(pack)}.`,
  ]
    .map(printable)
    .join('\n')
}
