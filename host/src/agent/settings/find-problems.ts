import { misfitOf } from '#config/environment/misfit-of.ts'
import type { ConfigProblem, Loaded } from '#config/file/loaded.ts'
import { readPlatformSettings } from '#config/platform-settings.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { findMisfits } from '#kernel/catalog/check-settings.ts'
import { maskText } from '#observe/mask.ts'
import { checkVariables } from './check-variables.ts'
import { findUnknownNames } from './unknown-names.ts'

/** Everything that is wrong in the settings of a home, in the order of its places. */
export async function findProblems(loaded: Loaded, catalog: Pick<Catalog, 'plugins'>): Promise<readonly ConfigProblem[]> {
  const found = [
    ...loaded.problems,
    ...findUnknownNames(loaded, catalog),
    ...findAddressProblems(loaded),
    ...catalog.plugins.flatMap(({ installed }) =>
      (installed?.manifest.contributes.platforms ?? []).flatMap(({ id }) => findPlatformProblems(loaded, id)),
    ),
    ...(await findPluginProblems(loaded, catalog)),
    ...checkVariables(loaded, catalog),
  ]
  // What two of them find is told once.
  const first = new Map(found.toReversed().map((one) => [`${one.file}:${one.line}:${one.key}`, one]))
  const inOrder = [...first.values()].toReversed().sort((a, b) => a.file.localeCompare(b.file) || placeIn(a) - placeIn(b))
  return inOrder.map((one) => ({ ...one, problem: maskText(one.problem, loaded.environment.secrets()) }))
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
