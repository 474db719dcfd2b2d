import { variables } from '../environment/variables.ts'
import { defaultConfig } from '../schema/defaults.ts'
import { isTree, valueAt } from '../schema/merge.ts'
import type { Config } from '../schema/schema.ts'
import type { ConfigProblem } from './loaded.ts'

/** Settings that have a name and that nothing reads yet, each with what it would be for. A test finds keys that are neither here nor read. */
export const withoutEffect: Readonly<Record<string, string>> = {
  'display.interface': 'there is no full-screen client; the line by line one starts',
  'terminal.backend': 'commands run on this machine only; terminal.sandbox keeps them from what they should not touch',
  'terminal.container_forward_env': 'commands run in no container',
  'terminal.container_mount_cwd_to_workspace': 'commands run in no container',
  stt: 'speech is not understood',
}

const desktop = 'there is no desktop app'

/** Variables that have a name and that nothing reads yet. */
export const variablesWithoutEffect: readonly { readonly name: string; readonly why: string }[] = variables.flatMap(({ name }) => {
  // It is obsolete.
  if (name === 'AGENT_DASHBOARD_TUI') return [{ name, why: 'the dashboard always has its chat' }]
  return name.startsWith('AGENT_DESKTOP_') ? [{ name, why: desktop }] : []
})

/** A person who asks for one of these and does not get it is worse off than with an error. */
const refused = new Set(['terminal.backend'])
/** Tasks that ask a model. */
export const auxiliaryTasks: readonly string[] = ['approval', 'background_review', 'compression', 'title_generation', 'vision']

/** Settings that somebody has changed and that change nothing. */
export function findWithoutEffect(
  config: Config,
  placeOf: (key: string) => Pick<ConfigProblem, 'file' | 'line'>,
): readonly ConfigProblem[] {
  const changed = Object.entries(withoutEffect).flatMap(([root, why]) =>
    changedKeys(root.split('.'), config).map((key) => problemOf(placeOf(key), key, why, refused.has(root))),
  )
  const auxiliary = Object.entries(config.auxiliary).flatMap(([task, settings]) =>
    Object.entries(settings).flatMap(([name, value]) => {
      const key = `auxiliary.${task}.${name}`
      const isDefault = value === valueAt(defaultConfig, ['auxiliary', task, name])
      if (value === '' || isDefault || auxiliaryTasks.includes(task)) return []
      return [problemOf(placeOf(key), key, `no such task asks a model; ${formatTasks()} do`, false)]
    }),
  )
  return [...changed, ...auxiliary]
}

const formatTasks = (): string => `${auxiliaryTasks.slice(0, -1).join(', ')} and ${auxiliaryTasks.at(-1)}`

function problemOf(place: Pick<ConfigProblem, 'file' | 'line'>, key: string, why: string, isRefused: boolean): ConfigProblem {
  return { ...place, key, problem: `has no effect: ${why}`, level: isRefused ? 'error' : 'warning', withoutEffect: true }
}

/** The keys at and below a path that are not what they are by default. */
function changedKeys(path: readonly string[], config: Config): readonly string[] {
  const value = valueAt(config, path)
  if (isTree(value)) return Object.keys(value).flatMap((name) => changedKeys([...path, name], config))
  return JSON.stringify(value) === JSON.stringify(valueAt(defaultConfig, path)) ? [] : [path.join('.')]
}
