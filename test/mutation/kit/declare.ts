import type { Manifest } from '../../../plugin-sdk/src/kinds/manifest.ts'
import type { Declared } from './promises/fault.ts'

/** Platforms on which several people can talk to the bot in one place; a manifest does not say that. */
const withGroups = new Set(['discord', 'irc', 'matrix', 'mattermost', 'signal', 'slack', 'telegram'])

/** What decides which faults apply to a platform. */
export function declare(name: string, { contributes, env, permissions }: Manifest): Declared {
  const platform = contributes.platforms.find(({ id }) => id === name)
  if (!platform) throw new Error(`There is no platform ${name}.`)
  const own = env.filter((variable) => platform.env.includes(variable.name))
  const names = (list: typeof own): readonly string[] => list.map((variable) => variable.name)
  const { door, reception, capabilities, limits } = platform
  const [required, secret] = [names(own.filter((each) => each.required)), names(own.filter((each) => each.secret))]
  return {
    door,
    reception,
    capabilities,
    limits,
    required,
    secret,
    groups: withGroups.has(name),
    waits: (permissions.net?.value ?? 'none') !== 'none',
  }
}
