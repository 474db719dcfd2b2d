import { Command } from 'commander'
import { openAgent } from '#agent/open-agent.ts'
import { answerMemory } from '#commands/answers/answer-memory.ts'
import { ownNames } from '#commands/slash-table.ts'
import { printable } from '#observe/printable.ts'
import { applySafeMode } from '#rpc/home/safe-mode.ts'
import { createMemoryDesk } from '#rpc/slash/slash-services.ts'
import { profileOwner } from '#tools/memory/owner.ts'
import type { Cli } from '../console/cli.ts'

export function command(cli: Cli): Command {
  const memory = new Command('memory').description('See what the agent remembers of you, and decide about changes that wait.')
  memory
    .command('show', { isDefault: true })
    .description('what is remembered, and how full it is')
    .action(() => answer(cli, 'show'))
  memory
    .command('pending')
    .description('changes that wait for an approval, of everybody')
    .action(() => answer(cli, 'pending'))
  memory
    .command('approve <id>')
    .description('make a change that waits; all: each of them')
    .action((id: string) => answer(cli, `approve ${id}`))
  memory
    .command('reject <id>')
    .description('drop a change that waits; all: each of them')
    .action((id: string) => answer(cli, `reject ${id}`))
  memory
    .command('approval [wish]')
    .description('say whether changes wait for an approval, or set it: on, off')
    .action((wish = '') => answer(cli, `approval ${wish}`))
  return memory
}

async function answer(cli: Cli, args: string): Promise<void> {
  const { installRoot, profile, note, signal } = cli
  const agent = await openAgent({ installRoot, ...applySafeMode(cli), profile, note, ownCommands: ownNames })
  try {
    const desk = createMemoryDesk(cli, agent)
    const said = await answerMemory(desk, { args, owner: profileOwner, all: true, maySet: true, name: 'agent memory', signal })
    cli.out(said.split('\n').map(printable).join('\n'))
  } finally {
    await agent.close()
  }
}
