import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CodeKind, PluginDefinition } from '@agent/plugin-sdk'
import { kinds } from '../../plugin-sdk/src/kinds/kinds.ts'

interface SourceContribution {
  readonly kind: CodeKind
  readonly id: string
  readonly plugin: { readonly root: string }
}

/** The module of a contribution's entry, taken from the plugin's sources: for tests, which run without a build. */
export async function importSourceEntry({ kind, id, plugin }: SourceContribution): Promise<{ readonly default: unknown }> {
  const file = join(plugin.root, 'src', 'plugin.ts')
  const { default: definition } = (await import(pathToFileURL(file).href)) as { default: PluginDefinition }
  const entry = definition[kinds[kind].list]?.[id]?.entry
  if (!entry) throw new Error(`${file} defines no ${kind} "${id}" with an entry`)
  return entry()
}

/** The default export of a contribution's entry, from source. */
export async function sourceEntry<T>(contribution: SourceContribution): Promise<T> {
  return (await importSourceEntry(contribution)).default as T
}
