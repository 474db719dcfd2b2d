import { fail } from '../errors.ts'
import { hookFilters } from '../hooks.ts'
import {
  type CommandsManifest,
  type ContractKind,
  type HooksManifest,
  type Manifest,
  manifestSchema,
  type ToolManifest,
  toolEffects,
} from '../manifest.ts'

/** Parses a manifest and checks what a schema cannot say: names that must point to something. */
export function checkManifest(file: string, written: unknown): Manifest {
  const parsed = manifestSchema.safeParse(written)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const path = issue?.path.join('.') || '(top)'
    throw fail('PLUGIN_MANIFEST_INVALID', { file, path, problem: issue?.message ?? 'is not a manifest' }, { cause: parsed.error })
  }
  const [problem] = problemsOf(parsed.data)
  if (problem) throw fail('PLUGIN_MANIFEST_INVALID', { file, ...problem })
  return parsed.data
}

interface Problem {
  readonly path: string
  readonly problem: string
}

function problemsOf(manifest: Manifest): readonly Problem[] {
  const { platforms, providers, toolsets, webBackends, hooks, commands, skills } = manifest.contributes
  const used: Readonly<Record<ContractKind, readonly unknown[]>> = {
    platform: platforms,
    provider: providers,
    toolset: toolsets,
    'web-backend': webBackends,
    hooks,
    commands,
    skills,
  }
  const declared = new Set(manifest.env.map((variable) => variable.name))
  const undeclared = (names: readonly string[], path: string): readonly Problem[] =>
    names.filter((name) => !declared.has(name)).map((name) => ({ path, problem: `names ${name}, which env does not list` }))
  return [
    ...platforms.flatMap((platform) => [
      ...undeclared(platform.env, `platforms.${platform.id}.env`),
      ...undeclared(platform.singletonLock ? [platform.singletonLock] : [], `platforms.${platform.id}.singletonLock`),
    ]),
    ...providers
      .filter((provider) => (provider.protocol === undefined) === (provider.entry === undefined))
      .map((provider) => ({
        path: `providers.${provider.id}`,
        problem: 'needs either a protocol that the host speaks or an entry of its own',
      })),
    ...toolsets.flatMap((toolset) => undeclared(toolset.env, `toolsets.${toolset.id}.env`)),
    ...toolsets.flatMap((toolset) => toolset.tools.flatMap((tool) => guardProblems(tool, `toolsets.${toolset.id}.tools.${tool.name}`))),
    ...webBackends.flatMap((backend) => undeclared(backend.env, `webBackends.${backend.id}.env`)),
    ...webBackends
      .filter(({ capabilities }) => !Object.values(capabilities).includes(true))
      .map(({ id }) => ({ path: `webBackends.${id}.capabilities`, problem: 'declares none: it needs search, extract or crawl' })),
    ...hooks.flatMap((set) => undeclared(set.env, `hooks.${set.id}.env`)),
    ...hooks.flatMap((set) =>
      repeated(
        set.hooks.map((hook) => hook.name),
        `hooks.${set.id}.hooks`,
      ),
    ),
    ...hooks.flatMap(filterProblems),
    ...commands.flatMap((set) => undeclared(set.env, `commands.${set.id}.env`)),
    ...commands.flatMap(commandProblems),
    ...repeated(
      commands.flatMap((set) => set.commands.flatMap(({ name, aliases }) => [name, ...aliases])),
      'commands',
    ),
    ...skills
      .filter(({ id, path }) => path.split('/').at(-1) !== id)
      .map(({ id, path }) => ({ path: `skills.${id}.path`, problem: `is ${path}, but a skill lies in a folder of its name` })),
    ...repeated(
      skills.map(({ id }) => id),
      'skills',
    ),
    ...repeated(toolsets.flatMap((toolset) => toolset.tools.map((tool) => tool.name))),
    ...Object.entries(used)
      .filter(([kind, list]) => list.length > 0 && manifest.api[kind] === undefined)
      .map(([kind]) => ({ path: 'api', problem: `lacks ${kind}: 1` })),
  ]
}

/** A filter by something that no event has would keep a hook silent for ever, and a gate open. */
function filterProblems({ id, hooks }: HooksManifest): readonly Problem[] {
  return hooks.flatMap(({ name, filter }) =>
    Object.entries(filter).flatMap(([field, words]): readonly Problem[] => {
      const path = `hooks.${id}.${name}.filter.${field}`
      if (!hookFilters[name].some((known) => known === field))
        return [{ path, problem: `is no field that ${name} can be filtered by: it has ${hookFilters[name].join(', ')}` }]
      const effects: readonly string[] = toolEffects
      const strange = field === 'effect' ? words.filter((word) => !effects.includes(word)) : []
      return strange.map((word) => ({ path, problem: `names ${word}; the effects are ${effects.join(', ')}` }))
    }),
  )
}

function commandProblems({ id, entry, commands }: CommandsManifest): readonly Problem[] {
  const code = commands.filter(({ prompt }) => prompt === undefined)
  const idle = { path: `commands.${id}.entry`, problem: 'has nothing to run: every command has a prompt' }
  return [
    ...(entry !== undefined && code.length === 0 ? [idle] : []),
    ...(entry === undefined ? code : []).map(({ name }) => ({
      path: `commands.${id}.${name}`,
      problem: 'needs a prompt, or the set an entry that runs it',
    })),
    ...commands
      .filter(({ args, prompt }) => prompt !== undefined && prompt.includes('{args}') !== (args !== ''))
      .map(({ name }) => ({ path: `commands.${id}.${name}`, problem: 'needs both or neither: args, and {args} in its prompt' })),
  ]
}

function guardProblems(tool: ToolManifest, path: string): readonly Problem[] {
  const known = (tool.parameters.properties ?? {}) as Record<string, unknown>
  return tool.guards
    .filter((guard) => !Object.hasOwn(known, guard.argument))
    .map((guard) => ({ path, problem: `guards ${guard.argument}, which is not an argument` }))
}

function repeated(names: readonly string[], path = 'tools'): readonly Problem[] {
  return names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => ({ path: `${path}.${name}`, problem: 'is declared twice' }))
}
