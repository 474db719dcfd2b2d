import { Command } from 'commander'
import { forgetAliases } from '#config/alias-programs.ts'
import { chooseProfile, deleteProfile, findProfile, findResting, listProfiles, renameProfile } from '#config/home/profiles.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { confirm } from '../console/confirm.ts'
import { type AliasOptions, aliasProfile, renameAliases } from '../profile/alias.ts'
import { type ExportOptions, exportProfile, type ImportOptions, importProfile } from '../profile/carry-profile.ts'
import { type MakeOptions, makeProfile, refuseCommandName } from '../profile/make-profile.ts'

export function command(cli: Cli): Command {
  const profile = new Command('profile').description('Keep separate homes for separate purposes.')
  profile
    .command('list', { isDefault: true })
    .option('--json', 'one JSON document')
    .description('show every profile')
    .action((options: { readonly json?: true }) => list(cli, options))
  addMaking(profile, cli)
  profile
    .command('show')
    .argument('[name]')
    .option('--json', 'one JSON document')
    .description('show where a profile keeps its things')
    .action((name: string | undefined, options: { readonly json?: true }) => show(cli, name, options))
  profile
    .command('use')
    .argument('<name>')
    .description('use a profile wherever -p and AGENT_HOME say nothing')
    .action((name: string) => use(cli, name))
  profile
    .command('rename')
    .argument('<name>')
    .argument('<new>')
    .option('-y, --yes', 'without asking')
    .description('give a profile another name')
    .action((name: string, wished: string, options: { readonly yes?: true }) => rename(cli, name, wished, options))
  profile
    .command('export')
    .argument('[name]')
    .option('-o, --output <file>', 'where to; without it <name>.tar.gz in this folder')
    .option('--with-secrets', 'with keys, logins and everything else but the history')
    .description('write settings, identity, skills and memory to a file')
    .action((name: string | undefined, options: ExportOptions) => exportProfile(cli, name, options))
  profile
    .command('import')
    .argument('<file>')
    .option('--name <name>', 'what to call it; without it as the file is called')
    .option('-y, --yes', 'with the plugins in it, without asking')
    .description('make a profile of such a file')
    .action((file: string, options: ImportOptions) => importProfile(cli, file, options))
  profile
    .command('delete')
    .argument('<name>')
    .option('-y, --yes', 'without asking')
    .description('remove a profile with everything in it')
    .action((name: string, options: { readonly yes?: true }) => remove(cli, name, options))
  return profile
}

function addMaking(profile: Command, cli: Cli): void {
  profile
    .command('create')
    .argument('<name>')
    .option('--clone', 'take over settings, secrets, skills and memory')
    .option('--clone-all', 'take over everything but history')
    .option('--clone-from <profile>', 'the profile to take over from; without it the one in use')
    .option('--no-skills', 'start without the bundled skills')
    .option('--alias', 'with a program of its name, as profile alias makes it')
    .option('--no-alias', 'without one, as it is anyway')
    .description('make a home: an empty one, or one that takes over from another')
    .action((name: string, options: MakeOptions) => makeProfile(cli, name, options))
  profile
    .command('alias')
    .argument('<profile>')
    .option('--name <name>', 'what to call the program; without it as the profile is called')
    .option('--remove', 'take it away')
    .description('make a program in ~/.local/bin that starts agent with this profile')
    .action((name: string, options: AliasOptions) => aliasProfile(cli, name, options))
}

function list(cli: Cli, options: { readonly json?: true }): void {
  const profiles = listProfiles(cli.environment)
  if (options.json) cli.json({ profiles })
  else cli.out(formatTable(profiles.map(({ name, path, active }) => [active ? paint(cli, 'green', `${name} *`) : name, path])))
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
  const home = findResting(cli.environment, name, 'deleted')
  if (!options.yes && !(await confirm(cli, `Delete profile ${name} with everything in ${home.path}?`))) {
    cli.out('Nothing was deleted.')
    return
  }
  deleteProfile(cli.environment, name)
  const programs = forgetAliases(cli.environment, home)
  cli.out(`Profile ${name} is gone${programs.length === 0 ? '' : `, and so is ${programs.join(' and ')}`}.`)
}

function use(cli: Cli, name: string): void {
  const { path } = chooseProfile(cli.environment, name)
  cli.out(`agent uses profile ${name} now, in ${path}.`)
}

async function rename(cli: Cli, name: string, wished: string, options: { readonly yes?: true }): Promise<void> {
  refuseCommandName(wished, `rename ${name}`)
  findResting(cli.environment, name, 'renamed')
  if (!options.yes && !(await confirm(cli, `Rename profile ${name} to ${wished}? Its conversations on platforms start again.`))) {
    cli.out('Nothing was renamed.')
    return
  }
  const before = findProfile(cli.environment, name)
  const after = renameProfile(cli.environment, name, wished)
  cli.out(`Profile ${name} is called ${wished} now, in ${after.path}.`)
  for (const file of renameAliases(cli, before, after)) cli.out(`${file} starts it.`)
}
