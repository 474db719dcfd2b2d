import { resolve } from 'node:path'
import type { ConfigProblem, Loaded } from '#config/file/loaded.ts'
import { readPlatformSettings } from '#config/platform-settings.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import { valueAt } from '#config/schema/merge.ts'
import { type Catalog, listedOf } from '#kernel/catalog/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { mayBeWritable } from '#kernel/sandbox/sandbox-plan.ts'

interface Idle {
  readonly key: string
  /** Where it stands, if that is not its key. */
  readonly path?: readonly string[]
  readonly why: string
  readonly nearest?: string | undefined
}

/** Settings that change nothing because of what another one says, or because they name what cannot be. */
export function findIdleSettings(
  loaded: Loaded,
  catalog: Pick<Catalog, 'plugins'>,
  ownCommands: readonly string[],
): readonly ConfigProblem[] {
  const found = [
    ...findInSandbox(loaded),
    ...findInReset(loaded),
    ...findInBudgets(loaded, catalog),
    ...findInCommands(loaded, catalog, ownCommands),
    ...findInGates(loaded, catalog),
  ]
  return found.map(({ key, path = key.split('.'), why, nearest }) => {
    const variable = loaded.overriddenBy(key)
    return {
      ...(variable ? loaded.placeOfVariable(variable.name) : loaded.placeOf(path)),
      ...{ key, problem: `has no effect: ${why}`, level: 'warning', withoutEffect: true },
      ...(nearest === undefined ? {} : { nearest }),
    }
  })
}

const isChanged = ({ config }: Pick<Loaded, 'config'>, key: string): boolean =>
  JSON.stringify(valueAt(config, key.split('.'))) !== JSON.stringify(valueAt(defaultConfig, key.split('.')))

function findInSandbox(loaded: Loaded): readonly Idle[] {
  const { sandbox, writable } = loaded.config.terminal
  if (sandbox === 'off')
    return ['terminal.network', 'terminal.writable', 'terminal.hidden']
      .filter((key) => isChanged(loaded, key))
      .map((key) => ({ key, why: 'it counts in the sandbox, and terminal.sandbox is off' }))
  return writable.flatMap((path, at) =>
    !path.startsWith('/') || mayBeWritable(resolve(path))
      ? []
      : [
          {
            key: 'terminal.writable',
            path: ['terminal', 'writable', String(at)],
            why: `${path} is of the system, or holds what is`,
          },
        ],
  )
}

function findInReset(loaded: Loaded): readonly Idle[] {
  const { mode, idle_minutes: minutes } = loaded.config.session_reset
  const unread = { none: ['at_hour', 'idle_minutes'], idle: ['at_hour'], daily: ['idle_minutes'], both: [] }[mode]
  const found = unread
    .map((name) => `session_reset.${name}`)
    .filter((key) => isChanged(loaded, key))
    .map((key) => ({ key, why: `session_reset.mode is ${mode}` }))
  return mode === 'idle' && minutes === 0 ? [...found, { key: 'session_reset.mode', why: 'session_reset.idle_minutes is 0' }] : found
}

/** Nobody gets in by a gate that does not run. */
function findInGates({ config }: Loaded, catalog: Pick<Catalog, 'plugins'>): readonly Idle[] {
  const blocked = new Map(
    listedOf(catalog, 'gate').flatMap(({ id, state, plugin }) => (state === 'blocked' ? [[`${plugin.id}:${id}`, plugin.id]] : [])),
  )
  return config.dashboard.gates.flatMap((name, at) => {
    const plugin = blocked.get(name)
    const path = ['dashboard', 'gates', String(at)]
    return plugin === undefined ? [] : [{ key: 'dashboard.gates', path, why: `${name} does not run; agent plugins why ${plugin} says why` }]
  })
}

/** The terminal has one person, and programs stand at doors that prove where something comes from, not whom. */
function findInBudgets({ config }: Loaded, { plugins }: Pick<Catalog, 'plugins'>): readonly Idle[] {
  const platforms = plugins.flatMap(({ installed }) => installed?.manifest.contributes.platforms ?? [])
  const unknown = [
    'cli',
    'oneshot',
    'acp',
    ...platforms.filter(({ door, gate }) => door !== 'messaging' || gate !== 'sender').map(({ id }) => id),
  ]
  return config.budgets.flatMap(({ platform = '', person }, at) => {
    const path = ['budgets', String(at), 'person']
    return person !== undefined && unknown.includes(platform) ? [{ key: path.join('.'), path, why: `nobody is known on ${platform}` }] : []
  })
}

const lists = ['user_allowed_commands', 'group_user_allowed_commands'] as const

/** Who opens the agent without the commands of conversations cannot judge their names. */
function findInCommands(loaded: Loaded, { plugins }: Pick<Catalog, 'plugins'>, own: readonly string[]): readonly Idle[] {
  if (own.length === 0) return []
  const manifests = plugins.flatMap(({ installed }) => (installed ? [installed.manifest] : []))
  const brought = manifests.flatMap(({ contributes }) => contributes.commands.flatMap(({ commands }) => commands))
  const known = [...own, ...brought.flatMap(({ name, aliases }) => [name, ...aliases])]
  return manifests
    .flatMap(({ contributes }) => contributes.platforms)
    .flatMap(({ id }) => {
      const { settings } = readPlatformSettings(loaded, id)
      return lists.flatMap((list) =>
        settings[list].flatMap((written, at) => {
          const name = written.trim().replace(/^\//, '').toLowerCase()
          if (name === '*' || name === '' || known.includes(name)) return []
          const nearest = nearestName(name, known)
          const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`
          const key = `platforms.${id}.${list}`
          return [{ key, path: [...key.split('.'), String(at)], why: `there is no command /${name}${meant}`, nearest }]
        }),
      )
    })
}
