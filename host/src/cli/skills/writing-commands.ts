import type { Command } from 'commander'
import { openAgent } from '#agent/open-agent.ts'
import { answerSkills } from '#commands/answers/answer-skills.ts'
import { ownNames } from '#commands/slash-table.ts'
import { printable } from '#observe/printable.ts'
import { applySafeMode } from '#rpc/home/safe-mode.ts'
import { createWritingDesk } from '#rpc/slash/slash-services.ts'
import type { Cli } from '../console/cli.ts'

/** What a person decides about skills that the agent writes. */
export function addWritingCommands(skills: Command, cli: Cli): void {
  skills
    .command('pending')
    .description('changes that the agent wants to make, and that wait for an approval')
    .action(() => answer(cli, 'pending'))
  skills
    .command('diff <id>')
    .description('what a change that waits would make different')
    .action((id: string) => answer(cli, `diff ${id}`))
  skills
    .command('approve <id>')
    .description('make a change that waits; all: each of them')
    .action((id: string) => answer(cli, `approve ${id}`))
  skills
    .command('reject <id>')
    .description('drop a change that waits; all: each of them')
    .action((id: string) => answer(cli, `reject ${id}`))
  skills
    .command('approval [wish]')
    .description('say whether changes wait for an approval, or set it: on, off')
    .action((wish = '') => answer(cli, `approval ${wish}`))
}

async function answer(cli: Cli, args: string): Promise<void> {
  const { installRoot, profile, note } = cli
  const agent = await openAgent({ installRoot, ...applySafeMode(cli), profile, note, ownCommands: ownNames })
  try {
    const said = await answerSkills(createWritingDesk(cli, agent), { args, name: 'agent skills' })
    cli.out(said.split('\n').map(printable).join('\n'))
  } finally {
    await agent.close()
  }
}
