import { Command } from 'commander'
import { printable } from '#observe/printable.ts'
import { openSkills } from '#rpc/skills/open-home-skills.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'

export function command(cli: Cli): Command {
  const skills = new Command('skills').description('See the skills: instructions for certain kinds of work.')
  skills
    .command('list', { isDefault: true })
    .description('every skill, and where it comes from')
    .option('--json', 'as JSON')
    .action((options: { json?: true }) => listSkills(cli, options.json === true))
  skills
    .command('show <name>')
    .description('what the agent reads of a skill')
    .action(async (name: string) => cli.out(await (await openSkills(cli)).view({ name })))
  return skills
}

async function listSkills(cli: Cli, json: boolean): Promise<void> {
  const { skills, broken } = await (await openSkills(cli)).index()
  if (json)
    return cli.json({
      skills: skills.map((skill) => ({ ...skill, plugin: skill.plugin ?? null, category: skill.category ?? null })),
      broken,
    })
  for (const { file, problem } of broken) cli.note(printable(`${file} ${problem}; the skill is left out`))
  if (skills.length === 0) return cli.out('There are no skills. A folder with a SKILL.md in skills/ of the home is one.')
  const rows = skills.map(({ name, description, plugin, offered }) => [
    paint(cli, 'cyan', name),
    plugin ?? 'home',
    printable(offered ? description : `(not offered here) ${description}`),
  ])
  cli.out(formatTable(rows))
}
