import { isAgentError } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { hiddenNames } from '#commands/skill-commands.ts'
import { allCommands } from '#commands/slash-table.ts'
import { printable, showText } from '#observe/printable.ts'
import { openSkillGround } from '#rpc/skills/open-home-skills.ts'
import { type Bundle, deleteBundle, listBundles, readBundle, writeBundle } from '#skills/bundles.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'

interface CreateOptions {
  readonly skill: readonly string[]
  readonly description?: string
  readonly instruction?: string
  readonly force?: true
}

/** `agent bundles`. */
export function command(cli: Cli): Command {
  const bundles = new Command('bundles').description('Name skills that are followed together: /<bundle> gives all of them.')
  bundles
    .command('list', { isDefault: true })
    .description('every bundle, and its skills')
    .option('--json', 'as JSON')
    .action((options: { json?: true }) => list(cli, options.json === true))
  bundles
    .command('show <name>')
    .description('what a bundle says and gives')
    .action(async (name: string) => {
      const { description, skills, instruction } = await readBundle((await openSkillGround(cli)).home.files.skillBundles, name)
      cli.out(showText([description, instruction, `Skills: ${skills.join(', ')}`].filter((line) => line !== '').join('\n')))
    })
  bundles
    .command('create <name>')
    .description('make a bundle')
    .option('--skill <name>', 'a skill of it; several times for several', (name: string, all: readonly string[]) => [...all, name], [])
    .option('--description <text>', 'what it is for')
    .option('--instruction <text>', 'what is said before its skills')
    .option('--force', 'in place of one that is there')
    .action((name: string, options: CreateOptions) => create(cli, name, options))
  bundles
    .command('delete <name>')
    .description('delete a bundle; its skills stay')
    .action(async (name: string) => {
      deleteBundle((await openSkillGround(cli)).home.files.skillBundles, name)
      cli.out(`The bundle ${name} is deleted; its skills are still there.`)
    })
  return bundles
}

async function create(cli: Cli, name: string, options: CreateOptions): Promise<void> {
  const { home, skills } = await openSkillGround(cli)
  // A slip of the fingers is told now and not when the bundle is wanted.
  for (const skill of options.skill) await skills.view({ name: skill })
  const { description = '', instruction = '', force } = options
  await writeBundle(home.files.skillBundles, { name, description, skills: options.skill, instruction }, { replace: force === true })
  cli.out(`The bundle ${name} is there: /${name} [text].`)
}

async function list(cli: Cli, json: boolean): Promise<void> {
  const { home, skills, catalog } = await openSkillGround(cli)
  const folder = home.files.skillBundles
  const names = new Set((await skills.index()).skills.map((skill) => skill.name))
  const bundles: Bundle[] = []
  const broken: { readonly name: string; readonly problem: string }[] = []
  for (const name of listBundles(folder)) {
    try {
      bundles.push(await readBundle(folder, name))
    } catch (error) {
      if (!isAgentError(error)) throw error
      broken.push({ name, problem: error.message })
    }
  }
  const rows = bundles.map((bundle) => ({ ...bundle, missing: bundle.skills.filter((skill) => !names.has(skill)) }))
  if (json) return cli.json({ bundles: rows, broken })
  for (const { problem } of broken) cli.note(printable(problem))
  for (const name of hiddenNames(listBundles(folder), allCommands(catalog)))
    cli.note(`/${name} is a command, so the bundle ${name} is not given by it.`)
  for (const { name, missing } of rows)
    if (missing.length > 0) cli.note(`The bundle ${name} names skills that are not there: ${missing.join(', ')}.`)
  if (rows.length === 0) return cli.out('There are no bundles. agent bundles create makes one.')
  cli.out(formatTable(rows.map((each) => [paint(cli, 'cyan', each.name), each.skills.join(', '), printable(each.description)])))
}
