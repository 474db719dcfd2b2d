import { fail } from '@agent/plugin-sdk/errors'
import type { Catalog, Listed } from '#kernel/catalog/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'

/** The plugin that a person means: by its id, by `kind:name`, or by the bare name of a contribution where only one plugin has it. */
export function findPlugin(catalog: Pick<Catalog, 'plugins' | 'plugin'>, word: string): Listed {
  const wanted = word.toLowerCase().replaceAll('_', '-')
  const exact = catalog.plugin(wanted)
  if (exact) return exact
  const owners = catalog.plugins.filter((plugin) =>
    plugin.contributions.some(({ kind, id }) => (wanted.includes(':') ? `${kind}:${id}` === wanted : id === wanted)),
  )
  const running = owners.filter((plugin) => plugin.reason?.code !== 'shadowed')
  const [first, ...others] = running.length > 0 ? running : owners
  if (first && others.length > 0) {
    throw fail('PLUGIN_AMBIGUOUS', { id: word, matches: [first, ...others].map((plugin) => plugin.id).join(', ') })
  }
  if (first) return first
  const nearest = nearestName(wanted, knownNames(catalog))
  throw fail('PLUGIN_NOT_FOUND', nearest === undefined ? { id: word } : { id: word, nearest })
}

function knownNames(catalog: Pick<Catalog, 'plugins'>): readonly string[] {
  return catalog.plugins.flatMap((plugin) => [plugin.id, ...plugin.contributions.map(({ id }) => id)])
}
