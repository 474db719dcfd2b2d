import { fail } from '@agent/plugin-sdk/errors'
import { type Command, CommanderError } from 'commander'
import type { Cli } from './console/cli.ts'

/** Lets commander parse and run; its own complaints become usage errors. */
export async function runCommander(cli: Cli, make: (cli: Cli) => Command, words: readonly string[]): Promise<void> {
  const command = make(cli)
  const all = [command, ...subcommands(command)]
  let said = ''
  for (const each of all) each.exitOverride().configureOutput({ writeErr: (text) => (said += text) })
  try {
    await command.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return
    // A group of commands without one of them.
    if (error.code === 'commander.help') return cli.out(said.trimEnd())
    const isProfile = /unknown option '(?:-p|--profile\b)/.test(error.message)
    const usage = { problem: sentence(error.message), try: `agent ${command.name()} --help` }
    throw fail('USAGE', isProfile ? lateProfile(command) : usage, { cause: error })
  }
}

/** Among the words of a command -p may be a part of them. */
function lateProfile(command: Command): { readonly problem: string; readonly try: string } {
  const problem = 'The profile stands before the words of a command; words that look like an option stand behind --.'
  return { problem, try: `agent -p NAME ${command.name()}` }
}

function subcommands(command: Command): readonly Command[] {
  return command.commands.flatMap((each) => [each, ...subcommands(each)])
}

function sentence(message: string): string {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!)]$/.test(text) ? '' : '.'}`
}
