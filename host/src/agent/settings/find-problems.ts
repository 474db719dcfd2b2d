import { misfitOf } from '#config/environment/misfit-of.ts'
import type { ConfigProblem, Loaded } from '#config/file/loaded.ts'
import { readPlatformSettings } from '#config/platform-settings.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { findMisfits } from '#kernel/catalog/check-settings.ts'
import { maskText } from '#observe/mask.ts'
import { checkVariables } from './check-variables.ts'
import { findIdleSettings } from './idle-settings.ts'
import { findUnknownNames } from './unknown-names.ts'

/**
 * Everything that is wrong in the settings of a home, in the order of its places. `ownCommands`: the slash commands of agent itself; `given`: variables
 * that scripts of skills get.
 */
export async function findProblems(
  loaded: Loaded,
  catalog: Pick<Catalog, 'plugins'>,
  ownCommands: readonly string[],
  given: () => readonly string[] = () => [],
): Promise<readonly ConfigProblem[]> {
  const platforms = catalog.plugins.flatMap(({ installed }) => installed?.manifest.contributes.platforms ?? [])
  const found = [
    loaded.problems,
    findUnknownNames(loaded, catalog),
    findAddressProblems(loaded),
    findFallbackProblems(loaded),
    findQuietProblems(loaded),
    platforms.flatMap(({ id }) => findPlatformProblems(loaded, id)),
    await findPluginProblems(loaded, catalog),
    checkVariables(loaded, catalog, given),
    findIdleSettings(loaded, catalog, ownCommands),
  ]
  const inOrder = withoutRepeats(found).sort((a, b) => a.file.localeCompare(b.file) || placeIn(a) - placeIn(b))
  return inOrder.map((one) => ({ ...one, problem: maskText(one.problem, loaded.environment.secrets()) }))
}

/** What one of them has told of a key, the next ones do not tell again; an error is told beside a warning. */
function withoutRepeats(lists: readonly (readonly ConfigProblem[])[]): ConfigProblem[] {
  const idOf = ({ file, line, key }: ConfigProblem): string => `${file}:${line}:${key}`
  const told = new Map<string, ConfigProblem['level']>()
  return lists.flatMap((list) => {
    const fresh = list.filter((one) => {
      const before = told.get(idOf(one))
      return before === undefined || (before === 'warning' && one.level === 'error')
    })
    for (const one of fresh) told.set(idOf(one), one.level)
    return fresh
  })
}

/** What concerns no line stands behind what does. */
const placeIn = ({ line }: ConfigProblem): number => line || Number.POSITIVE_INFINITY

/** The address is not quoted, because there may be a password in it. */
function findAddressProblems({ config, placeOf }: Loaded): readonly ConfigProblem[] {
  const { base_url: address } = config.model
  const place = { ...placeOf(['model', 'base_url']), key: 'model.base_url' }
  const problem = misfitOf('address', address)
  if (problem !== undefined) return [{ ...place, problem, level: 'error' }]
  if (!/^https?:\/\/[^/?#]*@/i.test(address)) return []
  return [{ ...place, problem: 'has a user name or a password in it, which no request carries; use model.api_key', level: 'warning' }]
}

/** Entries of the chain that are never asked. */
function findFallbackProblems({ config, placeOf }: Loaded): readonly ConfigProblem[] {
  const { fallback_model: one, fallback_providers: several } = config
  const entries = [
    ...several.map((entry, at) => ({ ...entry, path: ['fallback_providers', String(at)] })),
    ...(one.provider || one.model ? [{ ...one, path: ['fallback_model'] }] : []),
  ]
  return entries.flatMap(({ provider, model, path }): ConfigProblem[] => {
    const isShadowed = path.length === 1 && several.length > 0
    const why = isShadowed ? 'fallback_providers stands in for it' : whyNever(provider, model)
    return why === undefined
      ? []
      : [{ ...placeOf(path), key: path.join('.'), problem: `has no effect: ${why}`, level: 'warning', withoutEffect: true }]
  })
}

function whyNever(provider: string, model: string): string | undefined {
  if (provider === 'offline') return 'the offline model stands in for no other'
  return provider === '' || model === '' ? 'it needs a provider and a model' : undefined
}

/** Quiet hours that hold by another clock than they say, or not at all. */
function findQuietProblems({ config, placeOf }: Loaded): readonly ConfigProblem[] {
  return Object.entries(config.notifiers).flatMap(([id, { quiet_hours: quiet = {} }]): ConfigProblem[] => {
    const tell = (key: string, problem: string): ConfigProblem => {
      const path = ['notifiers', id, 'quiet_hours', key]
      return { ...placeOf(path), key: path.join('.'), problem, level: 'warning', withoutEffect: true }
    }
    const { from, to, zone } = quiet
    const lone = from === undefined ? 'to' : 'from'
    return [
      ...((from === undefined) === (to === undefined)
        ? []
        : [tell(lone, `has no effect without quiet_hours.${lone === 'to' ? 'from' : 'to'}`)]),
      ...(zone && !isZone(zone) ? [tell('zone', 'has no effect: this machine knows no such zone; write one such as Europe/Berlin')] : []),
    ]
  })
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** What the settings of a platform say against each other, variables included. */
function findPlatformProblems(loaded: Loaded, platform: string): readonly ConfigProblem[] {
  return readPlatformSettings(loaded, platform).problems.map(({ level, key, problem }) => ({
    ...(key.startsWith('platforms.') ? loaded.placeOf(key.split('.')) : loaded.placeOfVariable(key)),
    ...{ key, problem, level },
    ...(level === 'error' ? { platform } : {}),
  }))
}

/** Settings that do not fit the schema of a plugin, whether it runs or not. */
async function findPluginProblems({ config, placeOf }: Loaded, catalog: Pick<Catalog, 'plugins'>): Promise<readonly ConfigProblem[]> {
  const found = await Promise.all(
    catalog.plugins.map(async ({ id, installed }) => {
      const misfits = installed ? await findMisfits(installed.manifest, config) : []
      return misfits.map(({ path, problem }): ConfigProblem => {
        const key = path.join('.')
        return { ...placeOf(path), key, problem, level: 'error', plugin: id }
      })
    }),
  )
  return found.flat()
}
