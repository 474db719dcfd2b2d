import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { hiddenSkills } from '#commands/skill-commands.ts'
import { allCommands } from '#commands/slash-table.ts'
import { printable } from '#observe/printable.ts'
import { openSkillGround, openSkills } from '#rpc/skills/open-home-skills.ts'
import { declineSkills, seedPlacesOf } from '#rpc/skills/seed-home.ts'
import { removeSeeded, seedSkills, unchangedSkills } from '#skills/seed-skills.ts'
import { typedName } from '#skills/skill-name.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { addHubCommands } from '../skills/hub/add-commands.ts'
import { addWritingCommands } from '../skills/writing-commands.ts'

export function command(cli: Cli): Command {
  const skills = new Command('skills').description('See the skills: instructions for certain kinds of work.')
  skills
    .command('list', { isDefault: true })
    .description('every skill, and where it comes from')
    .option('--optional', 'those that come with agent and are in no home until you install them')
    .option('--json', 'as JSON')
    .action(async (options: ListOptions) =>
      options.optional
        ? (await import('../skills/hub/list-optional.ts')).listOptional(cli, options)
        : listSkills(cli, options.json === true),
    )
  skills
    .command('show <name>')
    .description('what the agent reads of a skill')
    .action(async (name: string) => cli.out(await (await openSkills(cli)).view({ name })))
  skills
    .command('setup <name>')
    .description('type in the secrets that a skill needs, for its scripts alone')
    .action(async (name: string) => (await import('../skills/setup-secrets.ts')).setUpSecrets(cli, name))
  skills
    .command('opt-out')
    .option('--remove', 'delete those that you have not changed')
    .option('-y, --yes', 'without asking')
    .description('do without the skills that come with agent')
    .action((options: OptOutOptions) => optOut(cli, options))
  skills
    .command('opt-in')
    .option('--sync', 'at once, and not at the next start')
    .description('have the skills that come with agent again')
    .action((options: { sync?: true }) => optIn(cli, options.sync === true))
  addHubCommands(skills, cli)
  addWritingCommands(skills, cli)
  return skills
}

interface ListOptions {
  readonly optional?: true
  readonly json?: true
}

interface OptOutOptions {
  readonly remove?: true
  readonly yes?: true
}

async function optOut(cli: Cli, { remove, yes }: OptOutOptions): Promise<void> {
  const { home } = seedPlacesOf(cli)
  const paths = remove ? unchangedSkills(home) : []
  if (
    paths.length > 0 &&
    !yes &&
    !(await (await import('../console/confirm.ts')).confirm(cli, `Delete ${paths.map(nameOfPath).join(', ')}?`))
  ) {
    cli.out('Nothing was changed.')
    return
  }
  declineSkills(home)
  if (paths.length > 0) removeSeeded(home, paths)
  const done = paths.length > 0 ? ` ${paths.length} of them are deleted; what you have changed or made stays.` : ''
  cli.out(`Skills that come with agent are put into this home no more.${done} agent skills opt-in brings them back.`)
}

function optIn(cli: Cli, sync: boolean): void {
  const places = seedPlacesOf(cli)
  rmSync(places.home.files.noBundledSkills, { force: true })
  if (!sync) {
    cli.out('Skills that come with agent are put into this home at the next start.')
    return
  }
  const { added, updated, kept } = seedSkills(places)
  cli.out(`${added.length} skills are new, ${updated.length} were updated, ${kept.length} are yours and stay as they are.`)
}

const nameOfPath = (path: string): string => path.slice(path.indexOf('/') + 1)

async function listSkills(cli: Cli, json: boolean): Promise<void> {
  const ground = await openSkillGround(cli)
  const { skills, broken } = await ground.skills.index()
  const hidden = hiddenSkills(skills, allCommands(ground.catalog))
  const commandOf = (name: string): string | null => (hidden.includes(name) ? null : `/${typedName(name)}`)
  if (json)
    return cli.json({
      skills: skills.map((skill) => ({
        ...skill,
        ...{ plugin: skill.plugin ?? null, category: skill.category ?? null, command: commandOf(skill.name) },
      })),
      broken,
    })
  for (const { file, problem } of broken) cli.note(printable(`${file} ${problem}; the skill is left out`))
  for (const name of hidden)
    cli.note(`/${typedName(name)} is a command, so the skill ${name} is not given by it; the agent reads it when it is named.`)
  for (const { name, credentialFiles = [] } of skills.filter(({ offered }) => offered))
    for (const { path } of credentialFiles)
      cli.note(
        existsSync(join(ground.home.path, path))
          ? `The skill ${name} reads ${path} of the home, which commands in the sandbox cannot see.`
          : `The skill ${name} reads ${path}, which is not in ${ground.home.path}.`,
      )
  if (skills.length === 0) return cli.out('There are no skills. A folder with a SKILL.md in skills/ of the home is one.')
  const rows = skills.map(({ name, description, plugin, lacks }) => [
    paint(cli, 'cyan', name),
    plugin ?? 'home',
    printable(lacks === undefined ? description : `(not offered here) ${description} It ${lacks}.`),
  ])
  cli.out(formatTable(rows))
}
