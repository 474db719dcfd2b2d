import type { ContractKind } from '@agent/plugin-sdk'
import type { ConfigProblem, Loaded } from '#config/file/loaded.ts'
import { allToolsets } from '#config/toolsets-from.ts'
import { type Catalog, listedOf } from '#kernel/catalog/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { doorSets } from '#tools/door-sets.ts'
import { bundledEngine } from '../context/engines.ts'

/** A name somewhere in the settings, and what it may be. */
interface Named {
  readonly name: string
  readonly key: string
  /** Where it stands, if that is not its key. */
  readonly path?: readonly string[]
  readonly known: Known
  /** What uses the name tells so itself when the program starts. */
  readonly told?: true
}

interface Known {
  readonly title: string
  readonly ids: readonly string[]
  /** Other names, each with the id that is meant by it. */
  readonly aliases?: ReadonlyMap<string, string>
}

/** Names in the settings that belong to nothing that is installed. They change nothing, and may be meant for something else. */
export function findUnknownNames(
  loaded: Pick<Loaded, 'config' | 'problems' | 'placeOf'>,
  catalog: Pick<Catalog, 'plugins'>,
): readonly ConfigProblem[] {
  const told = new Set(loaded.problems.map(({ key }) => key))
  return listNames(loaded, catalog)
    .filter(({ key, name, known }) => !told.has(key) && !known.ids.includes(name))
    .map(({ name, key, path, told: isTold, known: { title, ids, aliases } }) => {
      const near = nearestName(name, [...ids, ...(aliases?.keys() ?? [])])
      const nearest = near === undefined ? undefined : (aliases?.get(near) ?? near)
      const meant = nearest === undefined ? {} : { nearest }
      const problem = `has no effect: no ${title} "${name}" is installed${nearest === undefined ? '' : `; did you mean ${nearest}?`}`
      return {
        ...loaded.placeOf(path ?? key.split('.')),
        key,
        problem,
        level: 'warning',
        ...(isTold ? {} : { withoutEffect: true }),
        ...meant,
      }
    })
}

function listNames({ config }: Pick<Loaded, 'config'>, catalog: Pick<Catalog, 'plugins'>): readonly Named[] {
  const kind = (of: ContractKind, title: string, more: readonly string[] = []): Known => ({
    title,
    ids: [...listedOf(catalog, of).map(({ id }) => id), ...more],
  })
  // People name a plugin by what it brings.
  const aliases = new Map(catalog.plugins.flatMap(({ id, contributions }) => contributions.map((each) => [each.id, id] as const)))
  const plugins: Known = { title: 'plugin', ids: catalog.plugins.map(({ id }) => id), aliases }
  const platforms = kind('platform', 'platform', ['acp'])
  const gates = listedOf(catalog, 'gate').map(({ id, plugin }) => [id, `${plugin.id}:${id}`] as const)
  const doors = kind('platform', 'platform', ['cli', 'oneshot', 'acp'])
  const asKnown = catalog.plugins.flatMap(
    ({ installed }) => installed?.manifest.contributes.providers.flatMap(({ aliases }) => aliases) ?? [],
  )
  const providers = kind('provider', 'provider', ['', 'auto', 'none', ...asKnown])
  const sets = catalog.plugins.flatMap(({ installed }) =>
    installed?.source === 'bundled' ? installed.manifest.contributes.toolsets.flatMap((toolset) => toolset.sets) : [],
  )
  const toolsets = kind('toolset', 'toolset', [...Object.keys(config.toolsets), ...allToolsets, ...sets, ...Object.keys(doorSets(catalog))])
  const list = (key: string, names: unknown, known: Known): readonly Named[] =>
    Array.isArray(names) ? names.map((name, at) => ({ name: String(name), key, path: [...key.split('.'), String(at)], known })) : []
  return [
    { name: config.model.provider, key: 'model.provider', known: providers, told: true },
    { name: config.fallback_model.provider, key: 'fallback_model.provider', known: providers },
    ...config.fallback_providers.map(({ provider }, at) => ({
      name: provider,
      key: `fallback_providers.${at}.provider`,
      known: providers,
    })),
    ...config.budgets.flatMap(({ platform }, at) =>
      platform === undefined ? [] : [{ name: platform, key: `budgets.${at}.platform`, known: doors }],
    ),
    ...Object.entries(config.auxiliary).map(([task, { provider = '' }]) => ({
      name: provider,
      key: `auxiliary.${task}.provider`,
      known: providers,
    })),
    { name: config.image.backend, key: 'image.backend', known: kind('image', 'image backend', ['']), told: true },
    { name: config.context.engine, key: 'context.engine', known: kind('context', 'context engine', ['', bundledEngine]) },
    { name: config.memory.provider, key: 'memory.provider', known: kind('memory', 'memory provider', ['', 'none']), told: true },
    { name: config.web.backend, key: 'web.backend', known: kind('web-backend', 'web backend', ['']), told: true },
    ...listOfNotifiers(config, kind('notifier', 'notifier'), kind('platform', 'platform', ['origin', 'local', 'all'])),
    ...Object.keys(config.platforms).map((name) => ({ name, key: `platforms.${name}`, known: platforms })),
    ...Object.keys(config.plugins.entries).map((name) => ({ name, key: `plugins.entries.${name}`, known: plugins })),
    ...list('plugins.deny', config.plugins.deny, plugins),
    ...list('dashboard.gates', config.dashboard.gates, { title: 'gate', ids: gates.map(([, name]) => name), aliases: new Map(gates) }),
    ...Object.entries(config.toolsets).flatMap(([set, names]) => list(`toolsets.${set}`, names, toolsets)),
    ...Object.entries(config.platforms).flatMap(([id, section]) => list(`platforms.${id}.toolsets`, section.toolsets, toolsets)),
  ]
}

/** Notifiers that nobody has installed, and platforms that theirs would write to. */
function listOfNotifiers({ notifiers }: Loaded['config'], known: Known, platforms: Known): readonly Named[] {
  return Object.entries(notifiers).flatMap(([id, { deliver = [] }]) => [
    { name: id, key: `notifiers.${id}`, known },
    ...deliver.map((target, at) => ({
      ...{ name: target.split(':')[0]?.trim().toLowerCase() ?? '', key: `notifiers.${id}.deliver`, known: platforms },
      path: ['notifiers', id, 'deliver', String(at)],
    })),
  ])
}
