import { fail } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { commandNames, missingCommands } from '#commands/command-names.ts'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { createProfile, deleteProfile, findProfile, listProfiles } from '#config/home/profiles.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { confirm } from '../console/confirm.ts'

interface CreateOptions {
  readonly clone?: true
  readonly cloneAll?: true
  readonly cloneFrom?: string
  readonly skills: boolean
}

export function command(cli: Cli): Command {
  const profile = new Command('profile').description('Keep separate homes for separate purposes.')
  profile
    .command('list', { isDefault: true })
    .option('--json', 'one JSON document')
    .description('show every profile')
    .action((options: { readonly json?: true }) => list(cli, options))
  profile
    .command('create')
    .argument('<name>')
    .option('--clone', 'take over settings and skills')
    .option('--clone-all', 'take over everything but history')
    .option('--clone-from <profile>', 'the profile to take over from')
    .option('--no-skills', 'start without the bundled skills')
    .description('make an empty home')
    .action((name: string, options: CreateOptions) => create(cli, name, options))
  profile
    .command('show')
    .argument('[name]')
    .option('--json', 'one JSON document')
    .description('show where a profile keeps its things')
    .action((name: string | undefined, options: { readonly json?: true }) => show(cli, name, options))
  profile
    .command('delete')
    .argument('<name>')
    .option('-y, --yes', 'without asking')
    .description('remove a profile with everything in it')
    .action((name: string, options: { readonly yes?: true }) => remove(cli, name, options))
  return profile
}

function list(cli: Cli, options: { readonly json?: true }): void {
  const profiles = listProfiles(cli.environment)
  if (options.json) cli.json({ profiles })
  else cli.out(formatTable(profiles.map(({ name, path, active }) => [active ? paint(cli, 'green', `${name} *`) : name, path])))
}

function create(cli: Cli, name: string, options: CreateOptions): void {
  const refused = [options.clone && '--clone', options.cloneAll && '--clone-all', options.cloneFrom !== undefined && '--clone-from'].find(
    Boolean,
  )
  if (refused) throw fail('NOT_BUILT', { feature: `agent profile create ${refused}` })
  if ([...commandNames, ...missingCommands, 'help'].includes(name))
    throw fail('USAGE', {
      problem: `"${name}" is a command of agent, and a profile is called like a command.`,
      try: `agent profile create my-${name}`,
    })
  const home = createProfile(cli.environment, name)
  if (!options.skills) writeFileAtomic(home.files.noBundledSkills, '')
  cli.out(`Profile ${name} is ready in ${home.path}. Use it with agent -p ${name} chat.`)
}

function show(cli: Cli, name: string | undefined, options: { readonly json?: true }): void {
  const { profile, path, files } = openHomeOf({ ...cli, profile: name ?? cli.profile }, { create: false })
  if (options.json) cli.json({ name: profile, path, config: files.config, env: files.env, logs: files.logs })
  else
    cli.out(
      formatTable([
        ['profile', profile],
        ['home', path],
        ['settings', files.config],
        ['secrets', files.env],
        ['logs', files.logs],
      ]),
    )
}

async function remove(cli: Cli, name: string, options: { readonly yes?: true }): Promise<void> {
  const home = findProfile(cli.environment, name)
  if (!options.yes && !(await confirm(cli, `Delete profile ${name} with everything in ${home.path}?`))) {
    cli.out('Nothing was deleted.')
    return
  }
  deleteProfile(cli.environment, name)
  cli.out(`Profile ${name} is gone.`)
}
