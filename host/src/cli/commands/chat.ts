import { fail } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import type { ChatOptions } from '../chat/conversation/chat-options.ts'
import type { Cli } from '../console/cli.ts'

export function command(cli: Cli): Command {
  return new Command('chat')
    .description('Talk to the agent in this terminal.')
    .argument('[words...]', 'first message')
    .option('-z <prompt>', 'answer one prompt and leave; the answer alone goes to standard output (- reads the prompt from standard input)')
    .option('-c, --continue [name]', 'go on with the latest session, or with the one of this title')
    .option('--resume <session>', 'go on with a session: its title, id, the beginning of its id, or latest')
    .option('--provider <id>', 'inference provider for this run')
    .option('-m, --model <name>', 'model for this run')
    .option('--safe-mode', 'only what comes with the program: no plugins of others, no settings, no rules')
    .option('--ignore-user-config', 'start with the default settings')
    .option('--ignore-rules', 'leave out SOUL.md and the rule files of the folder (AGENTS.md and its like)')
    .option('--cli', 'the plain line interface')
    .option('--tui', 'the full-screen interface')
    .option('--checkpoints', 'keep snapshots of changed files')
    .option('--skills <names>', 'follow these skills from the start; commas stand between them')
    .action((words: readonly string[], options: ChatOptions) => chat(cli, words, options))
}

async function chat(cli: Cli, words: readonly string[], options: ChatOptions): Promise<void> {
  if (options.tui) throw fail('NOT_BUILT', { feature: 'The full-screen interface (--tui)' })
  if (options.z !== undefined) return (await import('../chat/one-shot.ts')).runOneShot(cli, options.z, options)
  return (await import('../chat/repl.ts')).runRepl(cli, words.join(' '), options)
}
