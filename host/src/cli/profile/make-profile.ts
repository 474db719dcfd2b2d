import { fail } from '@agent/plugin-sdk/errors'
import { commandNames, missingCommands } from '#commands/command-names.ts'
import { cloneProfile } from '#config/home/clone-profile.ts'
import type { Home } from '#config/home/home.ts'
import { createProfile, findProfile } from '#config/home/profiles.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { declineSkills } from '#rpc/skills/seed-home.ts'
import type { Cli } from '../console/cli.ts'
import { aliasProfile, refuseAlias } from './alias.ts'

export interface MakeOptions {
  readonly clone?: true
  readonly cloneAll?: true
  readonly cloneFrom?: string
  readonly skills: boolean
  readonly alias?: boolean
}

/** Makes a profile: an empty one, or one that takes over from another. */
export function makeProfile(cli: Cli, name: string, options: MakeOptions): void {
  refuseCommandName(name, 'create')
  const source = sourceOf(cli, options)
  if (source && !options.skills)
    throw fail('USAGE', {
      problem: '--no-skills does not go with a clone, which takes over the skills.',
      try: `agent profile create ${name} --no-skills`,
    })
  if (options.alias) refuseAlias(cli, name)
  const extent = options.cloneAll ? 'all' : 'settled'
  const home = createProfile(cli.environment, name, source && ((folder) => cloneProfile(source, folder, extent)))
  if (!options.skills) declineSkills(home)
  const from = source
    ? `, with ${options.cloneAll ? 'everything but the history' : 'the settings, skills and memory'} of ${source.profile}`
    : ''
  cli.out(`Profile ${name} is ready in ${home.path}${from}. Use it with agent -p ${name} chat.`)
  if (options.alias) aliasProfile(cli, name, {})
}

/** A profile is called like a command, so it has no name of one. */
export function refuseCommandName(name: string, verb: string): void {
  if (![...commandNames, ...missingCommands, 'help'].includes(name)) return
  throw fail('USAGE', {
    problem: `"${name}" is a command of agent, and a profile is called like a command.`,
    try: `agent profile ${verb} my-${name}`,
  })
}

function sourceOf(cli: Cli, { clone, cloneAll, cloneFrom }: MakeOptions): Home | undefined {
  if (cloneFrom !== undefined) return findProfile(cli.environment, cloneFrom)
  return clone || cloneAll ? openHomeOf(cli, { create: false }) : undefined
}
