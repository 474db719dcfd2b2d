import type { ConfigProblem, Loaded } from '#config/file/loaded.ts'
import { type Catalog, listedOf } from '#kernel/catalog/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'

/** Names in the settings that belong to nothing that is installed. They change nothing, and may be meant for something else. */
export function findUnknownNames(
  { config, problems }: Pick<Loaded, 'config' | 'problems'>,
  catalog: Pick<Catalog, 'plugins'>,
  file: string,
): readonly ConfigProblem[] {
  const plugins = catalog.plugins.map(({ id }) => id)
  const platforms = listedOf(catalog, 'platform').map(({ id }) => id)
  const sets = Object.keys(config.toolsets)
  const toolsets = [...listedOf(catalog, 'toolset').map(({ id }) => id), ...sets]
  const unknown = (
    names: readonly string[],
    known: readonly string[],
    title: string,
    keyOf: (name: string) => string,
  ): readonly ConfigProblem[] =>
    names
      .filter((name) => !known.includes(name))
      .map((name) => {
        const nearest = nearestName(name, known)
        const meant = nearest === undefined ? {} : { nearest }
        const problem = `has no effect: no ${title} "${name}" is installed${nearest === undefined ? '' : `; did you mean ${nearest}?`}`
        return { file, line: 0, key: keyOf(name), problem, level: 'warning', withoutEffect: true, ...meant }
      })
  const used = Object.entries(config.platforms).flatMap(([id, { toolsets: own }]) =>
    Array.isArray(own) ? unknown(own, toolsets, 'toolset', () => `platforms.${id}.toolsets`) : [],
  )
  const told = new Set(problems.map(({ key }) => key))
  const found = [
    ...unknown(Object.keys(config.platforms), platforms, 'platform', (id) => `platforms.${id}`),
    ...unknown(Object.keys(config.plugins.entries), plugins, 'plugin', (id) => `plugins.entries.${id}`),
    ...unknown(config.plugins.deny, plugins, 'plugin', () => 'plugins.deny'),
    ...Object.entries(config.toolsets).flatMap(([set, names]) => unknown(names, toolsets, 'toolset', () => `toolsets.${set}`)),
    ...used,
  ]
  return found.filter(({ key }) => !told.has(key))
}
