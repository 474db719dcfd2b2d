import { type HookName, hookKinds } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Catalog, Listed } from '#kernel/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import type { Cli } from '../../cli.ts'

const meanings = {
  gate: 'it may refuse; one that fails or takes too long refuses',
  modify: 'it may change what is handed to it; one that fails is skipped',
  observe: 'it is told, and nobody waits for it',
} as const

/** `agent plugins why hook:<name>`: what a hook is for, and who listens. */
export function explainHook(cli: Pick<Cli, 'out' | 'json'>, catalog: Pick<Catalog, 'contributions'>, name: string, json: boolean): void {
  if (!Object.hasOwn(hookKinds, name)) {
    const nearest = nearestName(name, Object.keys(hookKinds)) ?? 'turn.before'
    throw fail('USAGE', { problem: `There is no hook "${name}".`, try: `agent plugins why hook:${nearest}` })
  }
  const kind = hookKinds[name as HookName]
  const plugins = listeners(catalog, name)
  if (json) {
    cli.json({ hook: name, class: kind, plugins })
    return
  }
  cli.out(`hook:${name}`)
  cli.out(`  whoever listens: ${meanings[kind]} (${kind})`)
  cli.out(plugins.length === 0 ? '  nobody listens' : `  listening: ${plugins.join(', ')}`)
}

function listeners(catalog: Pick<Catalog, 'contributions'>, name: string): readonly string[] {
  return catalog
    .contributions()
    .flatMap(({ kind, plugin, spec }) =>
      kind === 'hooks' && 'hooks' in spec && spec.hooks.some((hook) => hook.name === name) ? [plugin.manifest.id] : [],
    )
}

/** The plugin and the toolset that a tool belongs to; by manifests alone. */
export function findTool(catalog: Pick<Catalog, 'plugins'>, name: string): { readonly plugin: Listed; readonly toolset: string } {
  const owners = catalog.plugins.flatMap((plugin) =>
    (plugin.installed?.manifest.contributes.toolsets ?? [])
      .filter(({ tools }) => tools.some((tool) => tool.name === name))
      .map(({ id }) => ({ plugin, toolset: id })),
  )
  // A plugin that another stands in for is not the one that runs.
  const found = owners.find(({ plugin }) => plugin.state === 'ready') ?? owners[0]
  if (found) return found
  const known = catalog.plugins.flatMap(({ installed }) =>
    (installed?.manifest.contributes.toolsets ?? []).flatMap(({ tools }) => tools.map((tool) => tool.name)),
  )
  const nearest = nearestName(name, known)
  const problem = `No plugin that is here has a tool "${name}".`
  throw fail('USAGE', { problem, try: nearest === undefined ? 'agent tools' : `agent plugins why tool:${nearest}` })
}
