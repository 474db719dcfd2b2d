import { type HookName, hookKinds, type Manifest } from '@agent/plugin-sdk'
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

/** What is looked for by its name: in which list of a manifest it stands, and where all of them are shown. */
const named = {
  tool: {
    parts: ({ toolsets }: Contributes): readonly Part[] =>
      toolsets.map(({ id, tools }) => ({ part: `toolset:${id}`, names: tools.map((tool) => tool.name) })),
    shown: 'agent tools',
  },
  command: {
    parts: ({ commands }: Contributes): readonly Part[] =>
      commands.map((set) => ({ part: `commands:${set.id}`, names: set.commands.flatMap(({ name, aliases }) => [name, ...aliases]) })),
    shown: 'agent plugins list',
  },
} as const

type Contributes = Manifest['contributes']

interface Part {
  readonly part: string
  readonly names: readonly string[]
}

/** The plugin and its part that a tool or a command belongs to; by manifests alone. */
export function findNamed(
  catalog: Pick<Catalog, 'plugins'>,
  kind: keyof typeof named,
  name: string,
): { readonly plugin: Listed; readonly part: string } {
  const all = catalog.plugins.flatMap((plugin) =>
    plugin.installed ? named[kind].parts(plugin.installed.manifest.contributes).map((each) => ({ ...each, plugin })) : [],
  )
  const owners = all.filter(({ names }) => names.includes(name))
  // A plugin that another stands in for is not the one that runs.
  const found = owners.find(({ plugin, part }) => isReady(plugin, part)) ?? owners[0]
  if (found) return found
  const nearest = nearestName(
    name,
    all.flatMap(({ names }) => names),
  )
  const problem = `No plugin that is here has a ${kind} "${name}".`
  throw fail('USAGE', { problem, try: nearest === undefined ? named[kind].shown : `agent plugins why ${kind}:${nearest}` })
}

function isReady({ contributions }: Listed, part: string): boolean {
  return contributions.some(({ kind, id, state }) => `${kind}:${id}` === part && state === 'ready')
}
