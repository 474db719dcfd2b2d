import { type ContractKind, type HookName, hookKinds } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Catalog, Listed } from '#kernel/catalog/catalog.ts'
import { type HostRow, hostRow } from '#kernel/catalog/kind-rows.ts'
import { contractKinds, specsOf } from '#kernel/kinds.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import type { Cli } from '../../console/cli.ts'

const meanings = {
  gate: 'it may refuse; one that fails or takes too long refuses',
  modify: 'it may change what is handed to it; one that fails is skipped',
  observe: 'it is told, and nobody waits for it',
} as const

/** `agent plugins why hook:<name>`: what a hook is for, and who listens. */
export function explainHook(cli: Pick<Cli, 'out' | 'json'>, catalog: Pick<Catalog, 'of'>, name: string, json: boolean): void {
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
  cli.out(`  a listener: ${meanings[kind]} (${kind})`)
  cli.out(plugins.length === 0 ? '  nobody listens' : `  listening: ${plugins.join(', ')}`)
}

function listeners(catalog: Pick<Catalog, 'of'>, name: string): readonly string[] {
  return catalog.of('hooks').flatMap(({ plugin, spec }) => (spec.hooks.some((hook) => hook.name === name) ? [plugin.manifest.id] : []))
}

/** The kind whose parts are called so, such as `tool`. */
export function kindOfPart(word: string): ContractKind | undefined {
  return contractKinds.find((kind) => hostRow(kind).parts?.called === word)
}

/** The plugin and its contribution that a part belongs to, such as a tool; by manifests alone. */
export function findNamed(
  catalog: Pick<Catalog, 'plugins'>,
  kind: ContractKind,
  name: string,
): { readonly plugin: Listed; readonly part: string } {
  const { parts }: HostRow<never> = hostRow(kind as never)
  const all = catalog.plugins.flatMap((plugin) =>
    (plugin.installed ? specsOf(plugin.installed.manifest, kind) : []).map((spec) => ({
      ...{ plugin, part: `${kind}:${spec.id}` },
      names: parts?.of(spec as never) ?? [],
    })),
  )
  const owners = all.filter(({ names }) => names.includes(name))
  // A plugin that another stands in for is not the one that runs.
  const found = owners.find(({ plugin, part }) => isReady(plugin, part)) ?? owners[0]
  if (found) return found
  const nearest = nearestName(
    name,
    all.flatMap(({ names }) => names),
  )
  const problem = `No plugin that is here has a ${parts?.called} "${name}".`
  throw fail('USAGE', { problem, try: nearest === undefined ? (parts?.listed ?? '') : `agent plugins why ${parts?.called}:${nearest}` })
}

function isReady({ contributions }: Listed, part: string): boolean {
  return contributions.some(({ kind, id, state }) => `${kind}:${id}` === part && state === 'ready')
}
